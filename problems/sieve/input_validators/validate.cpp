// Accepts one line with n, 1 <= n <= 2 * 10^7, without padding and with nothing after it.
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>

namespace {

constexpr int VALID = 42;
constexpr int INVALID = 43;
constexpr long BOUND_MAX = 20'000'000;
constexpr std::size_t DIGITS_MAX = 8;

int reject(const std::string& reason) {
    std::cerr << "line 1: " << reason << '\n';
    return INVALID;
}

}  // namespace

int main() {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == std::string::npos || digits == 0 || text[0] == '0' || text.substr(digits) != "\n") {
        return reject("expected one positive integer without padding and a newline");
    }
    if (digits > DIGITS_MAX || std::strtol(text.c_str(), nullptr, 10) > BOUND_MAX) {
        return reject("n is more than " + std::to_string(BOUND_MAX));
    }
    return VALID;
}
