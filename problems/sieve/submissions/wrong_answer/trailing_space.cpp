// The right number and a space, which this problem does not allow.
#include <iostream>
#include <vector>

int main() {
    int bound, primes = 0;
    std::cin >> bound;
    std::vector<char> composite(bound + 1);
    for (long long number = 2; number <= bound; number++) {
        if (!composite[number]) {
            primes++;
            for (long long multiple = number * number; multiple <= bound; multiple += number) {
                composite[multiple] = 1;
            }
        }
    }
    std::cout << primes << " \n";
}
