// Sieves the odd numbers in segments that fit in the first-level cache.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

int main() {
    constexpr std::uint32_t SEGMENT_NUMBERS = 1u << 16;
    std::uint32_t bound;
    std::cin >> bound;
    std::vector<std::uint32_t> primes, next_multiples;
    std::vector<char> composite(SEGMENT_NUMBERS / 2);
    std::uint32_t count = bound >= 2 ? 1 : 0;

    std::vector<char> small_composite(4473);
    for (std::uint32_t number = 3; number < small_composite.size(); number += 2) {
        if (!small_composite[number]) {
            primes.push_back(number);
            next_multiples.push_back(number * number);
            for (std::uint32_t multiple = number * number; multiple < small_composite.size(); multiple += 2 * number) {
                small_composite[multiple] = 1;
            }
        }
    }
    for (std::uint32_t start = 0; start <= bound; start += SEGMENT_NUMBERS) {
        std::fill(composite.begin(), composite.end(), 0);
        const std::uint32_t end = start + SEGMENT_NUMBERS;
        for (std::size_t index = 0; index < primes.size(); index++) {
            std::uint32_t multiple = next_multiples[index];
            for (; multiple < end; multiple += 2 * primes[index]) {
                composite[(multiple - start) / 2] = 1;
            }
            next_multiples[index] = multiple;
        }
        for (std::uint32_t number = std::max(start + 1, 3u); number < end && number <= bound; number += 2) {
            count += !composite[(number - start) / 2];
        }
    }
    std::cout << count << '\n';
}
