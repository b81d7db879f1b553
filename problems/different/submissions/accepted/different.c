#include <inttypes.h>
#include <stdio.h>

int main(void) {
    int64_t a, b;
    while (scanf("%" SCNd64 " %" SCNd64, &a, &b) == 2) {
        printf("%" PRId64 "\n", a > b ? a - b : b - a);
    }
    return 0;
}
