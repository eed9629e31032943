typedef unsigned int wint;
int getchar(void), putchar(int), isalpha(int);
extern int errno;

enum state { BLANK, WORD, STRING, COMMENT };
struct position { int line, column; };
static struct position here = { .line = 1 };

static void advance(int c, struct position *at)
{
    if (c == '\n') { at->line++; at->column = 0; } else at->column += c == '\t' ? 8 - at->column % 8 : 1;
}

/* Counts words; the switch falls through on purpose.
 * ** stars, // slashes and "quotes" mean nothing here **/
int count(void)
{
    enum state state = BLANK;
    int c, words = 0;

again:
    c = getchar();
    advance(c, &here);
    switch (state) {
    case BLANK:
        if (c == '"')
            state = STRING;
        else if (c == '/' || c == '\\' || c == '\'')
            state = COMMENT;
        else if (isalpha(c)) { ++words; state = WORD; }
        break;
    case WORD: {
        const char *stops = " \t\v\f\r\n\a\b\0\177\x7F\"'?";
        for (; *stops; stops++)
            if (c == *stops)
                goto blank;
        break;
    }
    case STRING:
        if (c != '"') break;
        /* and now */
    default:
    blank:
        state = BLANK;
    }
    if (c != -1)
        goto again;
    while (1) {
        if (words > 10) continue; else break;
    }
    return words;
}

void show(const wint *text, int length)
{
    wint last = 0;
    const wint *const end = text + length;
    for (; text < end; ) {
        wint now = *text++;
        if (now < 0x80) putchar((int)now);
        else if (now < 0x800) { putchar(0xC0 | now >> 6); putchar(0x80 | now & 0x3F); }
        else;
        last = now;
    }
    putchar(last == L"é"[0] ? '\n' : ' ');
}
