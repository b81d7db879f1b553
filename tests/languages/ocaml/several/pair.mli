val add : int -> int -> int
