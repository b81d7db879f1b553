// The plainest program in C++: containers, streams and an algorithm.
#include <iostream>
#include <numeric>
#include <vector>

int main()
{
    std::size_t n;
    std::cin >> n;
    std::vector<long long> values(n);
    for (auto &value : values)
        std::cin >> value;
    std::cout << std::accumulate(values.begin(), values.end(), 0LL) << '\n';
}
