// Includes itself without end: the compiler has a bound.
#include __FILE__
