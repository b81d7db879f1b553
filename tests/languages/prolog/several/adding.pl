:- module(adding, [add/3]).

add(A, B, Sum) :- Sum is A + B.
