#include <stdio.h>

enum { TREES_MAX = 5000 };

int main(void) {
    static long long best[TREES_MAX + 2]; /* best[i + 2] for the first i + 1 trees */
    int trees;
    if (scanf("%d", &trees) != 1) {
        return 1;
    }
    for (int tree = 0; tree < trees; tree++) {
        long long weight;
        if (scanf("%lld", &weight) != 1) {
            return 1;
        }
        long long taken = best[tree] + weight;
        best[tree + 2] = taken > best[tree + 1] ? taken : best[tree + 1];
    }
    printf("%lld\n", best[trees + 1]);
    return 0;
}
