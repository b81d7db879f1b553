#include <iostream>
#include <map>
#include <string>

#include "amount.h"
#include "money.h"

int main() {
    std::map<std::string, Money> balances;
    int requests, refused = 0;
    std::cin >> requests;
    while (requests-- > 0) {
        std::string verb, name, other;
        std::cin >> verb >> name;
        if (verb == "balance") {
            std::cout << balances[name] << '\n';
        } else if (verb == "deposit") {
            balances[name] += static_cast<Money>(read_amount(std::cin));
        } else {
            std::cin >> other;
            const Money amount = static_cast<Money>(read_amount(std::cin));
            if (balances[name] < amount) {
                refused++;
            } else {
                balances[name] -= amount;
                balances[other] += amount;
            }
        }
    }
    std::cout << "refused " << refused << '\n';
}
