// A macro that calls itself without end: the compiler has a bound.
macro_rules! endless {
    ($($token:tt)*) => { endless!($($token)* more) };
}

fn main() {
    endless!(start);
}
