#include "adding.hpp"

int adding::add(int a, int b) {
    return a + b;
}
