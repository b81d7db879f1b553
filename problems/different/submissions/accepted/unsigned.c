/* The same by unsigned wrap-around: right for every pair whose difference fits in 64 bits. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *rest;
        unsigned long long a = (unsigned long long)strtoll(line, &rest, 10);
        unsigned long long b = (unsigned long long)strtoll(rest, NULL, 10);
        unsigned long long difference = a - b;
        printf("%llu\n", difference >> 63 ? 0 - difference : difference);
    }
    return 0;
}
