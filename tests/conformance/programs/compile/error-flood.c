// A quarter of a million errors: what the compiler prints must be cut, not stored.
#define ONE undeclared_name_that_is_quite_long_for_an_error_message();
#define TEN(x) x x x x x x x x x x
#define MANY TEN(TEN(TEN(TEN(TEN(_Static_assert(0, "a message that is printed again and again and again");)))))

MANY MANY
