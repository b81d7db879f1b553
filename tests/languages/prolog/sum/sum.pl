main :-
    read_line_to_string(user_input, Line),
    split_string(Line, " ", " ", [First, Second]),
    number_string(A, First),
    number_string(B, Second),
    Sum is A + B,
    format("~d~n", [Sum]).
