#include <iostream>
#include <string>

int main() {
    long long low = 1, high;
    int soundings;
    std::cin >> high >> soundings;
    for (std::string answer; answer != "touched";) {
        const long long depth = low + (high - low) / 2;
        std::cout << depth << std::endl;
        std::cin >> answer;
        (answer == "deeper" ? low : high) = depth + (answer == "deeper" ? 1 : -1);
    }
}
