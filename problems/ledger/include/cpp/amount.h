// Given to every submission in C++.
#ifndef AMOUNT_H
#define AMOUNT_H

#include <cstdint>
#include <istream>

/// Money in the guild's smallest coin. 3000 deposits of 10^12 stay far below 2^63.
using Amount = std::int64_t;

/// Reads one amount.
inline Amount read_amount(std::istream& input) {
    Amount amount = 0;
    input >> amount;
    return amount;
}

#endif
