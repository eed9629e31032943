/* A list, a hash table and what a program does with them. */
typedef unsigned long size_t;
typedef struct _file FILE;
extern FILE *stdout, *const stderr_;
int printf(const char *restrict format, ...);
int fprintf(FILE *restrict stream, const char *restrict format, ...);
void *malloc(size_t size), *calloc(size_t, size_t), free(void *);
int strcmp(const char *, const char *);

typedef struct node node_t;
typedef int (*compare_t)(const void *left, const void *right);

struct node {
    node_t *next, **owner;
    const char *key;
    union {
        long number;
        double real;
        char text[sizeof(long) + sizeof(double)];
    } value;
    unsigned is_real : 1, : 0;
};

struct table {
    size_t n_buckets, n_nodes;
    node_t **buckets;
    size_t (*hash)(const char *);
};

static inline size_t hash(const char *key)
{
    size_t sum = 5381u;
    for (const unsigned char *at = (const unsigned char *)key; *at != '\0'; at++)
        sum = ((sum << 5) + sum) ^ *at;
    return sum;
}

static node_t **find(struct table *table, const char *key)
{
    node_t **place = &table->buckets[table->hash(key) % table->n_buckets];
    while (*place && strcmp((*place)->key, key) != 0)
        place = &(*place)->next;
    return place;
}

int insert(struct table *const table, const char *key, long number)
{
    node_t **place = find(table, key), *fresh;
    if (*place) {
        (*place)->value.number = number;
        return 0;
    } else if (!(fresh = (node_t *)malloc(sizeof *fresh)))
        return -1;
    else
        table->n_nodes++;
    *fresh = (node_t){ .next = (void *)0, .owner = place, .key = key, .value = { .number = number } };
    return !!(*place = fresh);
}

void sort(node_t **nodes, size_t count, compare_t compare)
{
    size_t i, j;
    for (i = 1; i < count; ++i) {
        node_t *moved = nodes[i];
        for (j = i; j > 0 && compare(nodes[j - 1], moved) > 0; --j)
            nodes[j] = nodes[j - 1];
        nodes[j] = moved;
    }
}

int main(int argc, char *argv[])
{
    struct table table = { 64, 0, calloc(64, sizeof(node_t *)), hash };
    size_t total = (size_t)argc * 2 + (size_t)(unsigned char)argv[0][0];
    node_t *seen[] = { *find(&table, "x"), };
    for (int i = 1; i < argc; i++)
        if (insert(&table, argv[i], (long)i) < 0) {
            fprintf(stdout, "%s: no memory" "\n", argv[0]);
            return 1;
        }
    printf("%lu %d\n", (unsigned long)(table.n_nodes), seen[0] == (node_t *)0);
    return (int)total & 0x7f;
}
