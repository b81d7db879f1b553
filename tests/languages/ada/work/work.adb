with Ada.Containers.Ordered_Sets;
with Ada.Integer_Text_IO;
with Ada.Text_IO;

procedure Work is
   package Sets is new Ada.Containers.Ordered_Sets (Integer);
   Seen : Sets.Set;
   A, B : Integer;
begin
   while not Ada.Text_IO.End_Of_File loop
      Ada.Integer_Text_IO.Get (A);
      Ada.Integer_Text_IO.Get (B);
      Seen.Include (A + B);
      if not Ada.Text_IO.End_Of_File then
         Ada.Text_IO.Skip_Line;
      end if;
   end loop;
   for Sum of Seen loop
      Ada.Integer_Text_IO.Put (Sum, Width => 0);
      Ada.Text_IO.New_Line;
   end loop;
end Work;
