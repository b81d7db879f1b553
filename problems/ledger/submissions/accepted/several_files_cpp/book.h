#pragma once

#include <map>
#include <string>

#include "amount.h"

/// The balances of all members and the transfers that failed.
class Book {
public:
    void deposit(const std::string& name, Amount amount);
    void transfer(const std::string& from, const std::string& to, Amount amount);
    Amount balance(const std::string& name) const;
    int refused() const { return refused_; }

private:
    std::map<std::string, Amount> balances_;
    int refused_ = 0;
};
