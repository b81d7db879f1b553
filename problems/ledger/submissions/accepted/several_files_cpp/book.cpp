#include "book.h"

void Book::deposit(const std::string& name, Amount amount) {
    balances_[name] += amount;
}

void Book::transfer(const std::string& from, const std::string& to, Amount amount) {
    if (balance(from) < amount) {
        refused_++;
        return;
    }
    balances_[from] -= amount;
    balances_[to] += amount;
}

Amount Book::balance(const std::string& name) const {
    const auto found = balances_.find(name);
    return found == balances_.end() ? 0 : found->second;
}
