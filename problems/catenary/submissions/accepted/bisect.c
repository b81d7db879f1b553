#include <math.h>
#include <stdio.h>

/* Solves sinh(x) / x = ratio for ratio > 1. */
static double solve(double ratio) {
    double low = 0, high = 20;
    for (int step = 0; step < 100; step++) {
        double middle = (low + high) / 2;
        if (sinh(middle) < ratio * middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

int main(void) {
    int chains;
    if (scanf("%d", &chains) != 1) {
        return 1;
    }
    while (chains-- > 0) {
        double gap, length;
        if (scanf("%lf %lf", &gap, &length) != 2) {
            return 1;
        }
        printf("%.9f\n", length / 2 * tanh(solve(length / gap) / 2));
    }
    return 0;
}
