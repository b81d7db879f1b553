{ Fills a knapsack by dynamic programming. }
program Knapsack;
const
  SIZE = 2000;
var
  n, i, j, weight, value: longint;
  best: array[0..SIZE] of longint;
  code: word;
begin
  val(paramstr(1), n, code);
  for i := 1 to n do begin
    weight := i * 7919 mod 97 + 1;
    value := i * 104729 mod 991;
    for j := SIZE downto weight do
      if best[j - weight] + value > best[j] then best[j] := best[j - weight] + value;
  end;
  writeln(best[SIZE]);
end.
