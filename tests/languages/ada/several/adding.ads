package Adding is
   function Add (A, B : Integer) return Integer;
end Adding;
