#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
    int *sums = NULL, a, b;
    size_t count = 0, room = 0;
    while (scanf("%d %d", &a, &b) == 2) {
        if (count == room)
            sums = realloc(sums, (room = room * 2 + 16) * sizeof *sums);
        sums[count++] = a + b;
    }
    qsort(sums, count, sizeof *sums, compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sums[i] != sums[i - 1])
            printf("%d\n", sums[i]);
}
