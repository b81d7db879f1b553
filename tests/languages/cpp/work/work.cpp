#include <iostream>
#include <set>
#include <unordered_set>

int main() {
    std::unordered_set<int> seen;
    for (int a, b; std::cin >> a >> b;) seen.insert(a + b);
    for (int sum : std::set<int>(seen.begin(), seen.end())) std::cout << sum << '\n';
}
