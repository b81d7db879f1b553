let () = Scanf.scanf " %d %d" (fun a b -> Printf.printf "%d\n" (Pair.add a b))
