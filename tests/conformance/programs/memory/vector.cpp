// A vector that grows for ever.
#include <vector>

int main()
{
    std::vector<long> values;
    for (long i = 0;; i++)
        values.push_back(i);
}
