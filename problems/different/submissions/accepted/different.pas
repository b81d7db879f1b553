program Different;
var
  a, b: Int64;
begin
  while not SeekEof do
  begin
    ReadLn(a, b);
    WriteLn(Abs(a - b));
  end;
end.
