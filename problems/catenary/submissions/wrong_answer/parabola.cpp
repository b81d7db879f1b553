// The engineer's formula for a taut cable: a parabola with the same ends and nearly the same length.
#include <cmath>
#include <cstdio>

int main() {
    int chains;
    std::scanf("%d", &chains);
    while (chains-- > 0) {
        double gap, length;
        std::scanf("%lf %lf", &gap, &length);
        std::printf("%.9f\n", std::sqrt(3 * gap * (length - gap) / 8));
    }
}
