// A loop without end at compile time: the compiler has a bound on operations.
constexpr unsigned long endless()
{
    unsigned long i = 0;
    while (true)
        i++;
    return i;
}

static_assert(endless() == 0);

int main()
{
}
