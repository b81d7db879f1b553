program work;
var
  seen: array [0..20000] of boolean;
  a, b: longint;
begin
  while not seekeof do
  begin
    readln(a, b);
    seen[a + b] := true
  end;
  for a := 0 to 20000 do
    if seen[a] then writeln(a)
end.
