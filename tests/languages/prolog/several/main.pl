:- use_module(adding).
:- initialization(main).

main :-
    read_line_to_string(user_input, Line),
    split_string(Line, " ", " ", Words),
    maplist([Word, Number]>>number_string(Number, Word), Words, [A, B]),
    add(A, B, Sum),
    format("~d~n", [Sum]).
