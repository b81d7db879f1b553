// Divides by the difference, which is zero when the gauges agree.
#include <cstdlib>
#include <iostream>

int main() {
    long long a, b;
    while (std::cin >> a >> b) {
        volatile long long difference = std::llabs(a - b);
        volatile long long ratio = a / difference;
        (void)ratio;
        std::cout << difference << '\n';
    }
}
