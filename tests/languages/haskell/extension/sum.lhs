Two numbers come on one line; their "sum" goes out.

> main :: IO ()
> main = interact (\line -> show (sum (map read (words line)) :: Int) ++ "\n")
