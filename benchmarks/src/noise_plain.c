/* The model of one periodic source as anybody would write it down: every node, every iteration. Prints node-iterations a
   second. Arguments: nodes along a row, rows, iterations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const uint32_t compute = 1200, length = 2560, period = 2000000;

static uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void row(const uint32_t *restrict from, const uint32_t *restrict below, const uint32_t *restrict above,
                uint32_t *restrict to, uint32_t *restrict next, long width) {
    for (long i = 0; i < width; i++) {
        uint32_t begin = max(max(from[i], max(from[i - 1], from[i + 1])), max(below[i], above[i]));
        uint32_t end = begin + compute + (next[i] <= from[i] + compute ? length : 0);
        next[i] += next[i] <= end ? period : 0;
        to[i] = end;
    }
}

static void line(const uint32_t *restrict from, uint32_t *restrict to, uint32_t *restrict next, long width) {
    for (long i = 0; i < width; i++) {
        uint32_t begin = max(from[i], max(from[i - 1], from[i + 1]));
        uint32_t end = begin + compute + (next[i] <= from[i] + compute ? length : 0);
        next[i] += next[i] <= end ? period : 0;
        to[i] = end;
    }
}

int main(int count, char **given) {
    if (count != 4) return 2;
    long width = atol(given[1]), rows = atol(given[2]), iterations = atol(given[3]);
    /* A margin of zeros around all. */
    long stride = width + 16, all = (rows + 2) * stride + 16;
    uint32_t *one = calloc(all, 4), *other = calloc(all, 4), *next = calloc(all, 4);
    if (!one || !other || !next) return 3;
    uint64_t state = 1;
    for (long i = 0; i < all; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        next[i] = (state >> 33) % period + 1;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long done = 0; done < iterations; done++) {
        for (long y = 1; y <= rows; y++) {
            long at = y * stride + 16;
            if (rows == 1) line(one + at, other + at, next + at, width);
            else row(one + at, one + at - stride, one + at + stride, other + at, next + at, width);
        }
        uint32_t *swap = one;
        one = other;
        other = swap;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double s = (end.tv_sec - begin.tv_sec) + 1e-9 * (end.tv_nsec - begin.tv_nsec);
    /* The sum is printed so that nothing is left out. */
    uint64_t sum = 0;
    for (long i = 0; i < all; i++) sum += one[i];
    fprintf(stderr, "%llu\n", (unsigned long long)sum);
    printf("%.0f\n", (double)width * rows * iterations / s);
    return 0;
}
