#include <cstdint>
#include <iostream>

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    std::int64_t a, b;
    while (std::cin >> a >> b) {
        std::cout << (a > b ? a - b : b - a) << '\n';
    }
}
