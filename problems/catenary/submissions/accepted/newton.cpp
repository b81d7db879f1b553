// Newton's method from above, where the function is convex and the steps never overshoot.
// The numbers are printed in scientific notation, which is as good as any other.
#include <cmath>
#include <iomanip>
#include <iostream>

int main() {
    int chains;
    std::cin >> chains;
    std::cout << std::scientific << std::setprecision(12);
    while (chains-- > 0) {
        double gap, length;
        std::cin >> gap >> length;
        const double ratio = length / gap;
        double x = 20;
        for (int step = 0; step < 60; step++) {
            x -= (std::sinh(x) - ratio * x) / (std::cosh(x) - ratio);
        }
        std::cout << length / 2 * std::tanh(x / 2) << '\n';
    }
}
