// Builds only if the included amount.h has replaced the one that lies beside this file.
#include <iostream>
#include <string>
#include <unordered_map>

#include "amount.h"

int main() {
    std::unordered_map<std::string, Amount> balances;
    int requests, refused = 0;
    std::cin >> requests;
    while (requests-- > 0) {
        std::string verb, name, other;
        std::cin >> verb >> name;
        if (verb == "balance") {
            std::cout << balances[name] << '\n';
        } else if (verb == "deposit") {
            balances[name] += read_amount(std::cin);
        } else {
            std::cin >> other;
            const Amount amount = read_amount(std::cin);
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
