// Templates without end: the compiler has a bound on depth.
template <long N> struct Endless {
    static constexpr long value = Endless<N + 1>::value;
};

int main()
{
    return static_cast<int>(Endless<0>::value);
}
