// An error message of megabytes: each line names a type that is twice as long as the one before.
template <class A, class B> struct Pair {
};
template <int N> struct Doubled {
    using Type = Pair<typename Doubled<N - 1>::Type, typename Doubled<N - 1>::Type>;
};
template <> struct Doubled<0> {
    using Type = int;
};

int main()
{
    Doubled<18>::Type value;
    return value.missing + value;
}
