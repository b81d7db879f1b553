// An exception that nobody catches ends in SIGABRT.
#include <iostream>
#include <stdexcept>

int main() {
    long long a, b;
    std::cin >> a >> b;
    throw std::runtime_error("the gauges disagree");
}
