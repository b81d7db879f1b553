program Start;

uses Adding;

var
  a, b: longint;

begin
  readln(a, b);
  writeln(Add(a, b));
end.
