{ Sorts numbers by merging. }
program SortNumbers;
var
  n, i: longint;
  a, b: array of longint;
  random: qword;
  code: word;

procedure Sort(low, high: longint);
var
  middle, i, j, k: longint;
begin
  if high - low < 1 then exit;
  middle := (low + high) div 2;
  Sort(low, middle);
  Sort(middle + 1, high);
  i := low;
  j := middle + 1;
  for k := low to high do
    if (j > high) or ((i <= middle) and (a[i] <= a[j])) then begin
      b[k] := a[i];
      inc(i);
    end else begin
      b[k] := a[j];
      inc(j);
    end;
  for k := low to high do a[k] := b[k];
end;

begin
  val(paramstr(1), n, code);
  setlength(a, n);
  setlength(b, n);
  random := 17;
  for i := 0 to n - 1 do begin
    random := random * 6364136223846793005 + 1442695040888963407;
    a[i] := longint(random shr 34);
  end;
  Sort(0, n - 1);
  writeln(a[0], ' ', a[n div 2], ' ', a[n - 1]);
end.
