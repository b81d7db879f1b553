module Sums = Set.Make (Int)

let () =
  let seen = Hashtbl.create 16 in
  (try
     while true do
       Scanf.scanf " %d %d" (fun a b -> Hashtbl.replace seen (a + b) ())
     done
   with End_of_file | Scanf.Scan_failure _ -> ());
  Hashtbl.fold (fun sum () sums -> Sums.add sum sums) seen Sums.empty
  |> Sums.iter (Printf.printf "%d\n")
