// An exception that nobody catches ends in abort().
#include <iostream>
#include <vector>

int main()
{
    std::vector<int> values{1, 2, 3};
    std::cout << values.at(3) << '\n';
}
