(* Native integers have 63 bits here: enough for 2 * 10^18. *)
let () =
  try
    while true do
      let line = input_line stdin in
      Scanf.sscanf line "%d %d" (fun a b -> Printf.printf "%d\n" (abs (a - b)))
    done
  with End_of_file -> ()
