// Thinks about the first sounding for ever.
#include <iostream>

int main() {
    long long bound;
    std::cin >> bound;
    for (volatile bool thinking = true; thinking;) {
    }
}
