#include <algorithm>
#include <cstdint>
#include <iostream>

int main() {
    int trees;
    std::cin >> trees;
    std::int64_t with_last = 0, without_last = 0;
    for (std::int64_t weight; std::cin >> weight;) {
        const std::int64_t taken = without_last + weight;
        without_last = std::max(with_last, without_last);
        with_last = taken;
    }
    std::cout << std::max(with_last, without_last) << '\n';
}
