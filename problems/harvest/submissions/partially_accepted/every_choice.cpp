// @EXPECTED_SCORE@: 40
// Tries every choice: fine for groups 1 and 3 part 1, ages for the others.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

std::vector<std::int64_t> weights;

std::int64_t best_from(std::size_t tree) {
    if (tree >= weights.size()) {
        return 0;
    }
    return std::max(weights[tree] + best_from(tree + 2), best_from(tree + 1));
}

int main() {
    int trees;
    std::cin >> trees;
    for (std::int64_t weight; std::cin >> weight;) {
        weights.push_back(weight);
    }
    std::cout << best_from(0) << '\n';
}
