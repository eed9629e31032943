// Numbers, arrays and expressions: what C99 added is used on purpose.
typedef _Bool flag;
typedef struct { double re, im; } complex_t;
typedef double matrix_t[4][4];
enum unit { METRE = 1, FOOT, INCH = FOOT * 12, };
double pow(double, double), fabs(double);

static const matrix_t identity = { [0] = { 1 }, [1][1] = 1, [2] = { [2] = 1. }, { .0, 0.0, 0, 1e0 } };
static const float limits[] = { 0x1p-3f, 0x.8P+2F, 1.5e-10f, .5F, 2.L, 1E+5 };
static const unsigned long long masks[3] = { 0xFFFFFFFFFFFFFFFFull, 0777UL, 0 };
static const struct point { int x, y; const char *name; } points[] = {
    { 1, 2, "a" }, { .y = 3, .x = -4, .name = "b" "c" }, [4].name = L"wide" ? "yes" : "no",
};
double _Complex wave(double _Complex z, float _Complex c);

void multiply(int n, double a[n][n], double b[n][n], double (*product)[n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0, *cell = &product[i][j];
            for (int k = n; k --> 0;)
                sum += a[i][k] * b[k][j];
            *cell = sum;
        }
}

complex_t add(complex_t a, complex_t b)
{
    return (complex_t){ a.re + b.re, a.im + b.im };
}

long long bits(unsigned x, volatile const int *const restrict where)
{
    long long found = 0LL;
    unsigned short int low = x & 0xffff, high = x >> 16 & 0xFFFFu;
    signed char sign = x & 1u << 31 ? -1 : +1;
    do {
        found ^= (long long)low << 2 | (unsigned char)~high;
        low >>= 1, high <<= 1;
        low |= 3; high &= ~3; x %= 7; x /= 2; x *= 5; x -= 1; x += - -2;
    } while (x && !(low == high) || low != 3 && low <= high);
    found = sign < 0 ? -found : found > 9 ? found - -*where : (found, *where);
    return sizeof found * sizeof(int *) + sizeof(int [3]) + sizeof (x) + sizeof &x - (x)+(low)-(high)*(sign)&(x);
}

int table(int which, ...)
{
    int (*const operations[])(int, int) = { 0, 0 }, (*one)(int, int) = operations[which];
    const matrix_t *m = &identity, *const fixed = m;
    flag is_set = which != 0, *p = &is_set, flags[2] = { 0 };
    flag const *q = p;
    flag *const r = flags;
    enum unit unit = (enum unit)which;
    unit = (unit == METRE) ? FOOT : INCH;
    ((void)fixed, (void)q);
    if (!one) return (*m)[0][0] > (double)limits[0];
    return (*one)(1, 2) + one(3, (int)*r) + (operations[0])(4, 5) + (int)(flag)which + (int)"text"[0];
}
