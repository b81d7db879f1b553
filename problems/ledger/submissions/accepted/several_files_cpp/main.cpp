#include <iostream>
#include <string>

#include "amount.h"
#include "book.h"

int main() {
    int requests;
    std::cin >> requests;
    Book book;
    while (requests-- > 0) {
        std::string verb, name, other;
        std::cin >> verb >> name;
        if (verb == "deposit") {
            book.deposit(name, read_amount(std::cin));
        } else if (verb == "transfer") {
            std::cin >> other;
            book.transfer(name, other, read_amount(std::cin));
        } else {
            std::cout << book.balance(name) << '\n';
        }
    }
    std::cout << "refused " << book.refused() << '\n';
}
