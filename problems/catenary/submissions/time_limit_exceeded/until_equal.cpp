// Bisects until the bounds are equal, but two neighbouring doubles have no number between them.
#include <cmath>
#include <cstdio>

int main() {
    int chains;
    std::scanf("%d", &chains);
    while (chains-- > 0) {
        double gap, length, low = 0, high = 20;
        std::scanf("%lf %lf", &gap, &length);
        while (low < high) {
            const double middle = (low + high) / 2;
            if (std::sinh(middle) < length / gap * middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        std::printf("%.9f\n", length / 2 * std::tanh(low / 2));
    }
}
