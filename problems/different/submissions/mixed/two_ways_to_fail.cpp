// @EXPECTED_RESULTS@: WRONG-ANSWER, RUN-ERROR
// stoi throws beyond 32 bits, and within them the sign is missing: which comes first depends on the order.
#include <iostream>
#include <string>

int main() {
    std::string a, b;
    while (std::cin >> a >> b) {
        std::cout << std::stoi(a) - std::stoi(b) << '\n';
    }
}
