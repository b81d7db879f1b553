#include "adding/adding.hpp"
#include <iostream>

int main() {
    int a, b;
    std::cin >> a >> b;
    std::cout << adding::add(a, b) << '\n';
}
