main :-
    read_line_to_string(user_input, Line),
    sums(Line, Sums),
    sort(Sums, Sorted),
    forall(member(Sum, Sorted), format("~d~n", [Sum])).

sums(Line, []) :- Line == end_of_file, !.
sums(Line, [Sum | Sums]) :-
    split_string(Line, " ", " ", [First, Second]),
    number_string(A, First),
    number_string(B, Second),
    Sum is A + B,
    read_line_to_string(user_input, Next),
    sums(Next, Sums).
