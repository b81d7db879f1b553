// Templates that double at every step, within the bound on depth: time or memory must end it.
template <int Depth, unsigned long Path> struct Tree {
    static constexpr unsigned long value =
        Tree<Depth - 1, Path * 2>::value + Tree<Depth - 1, Path * 2 + 1>::value;
};
template <unsigned long Path> struct Tree<0, Path> {
    static constexpr unsigned long value = Path;
};

int main()
{
    return static_cast<int>(Tree<60, 1>::value);
}
