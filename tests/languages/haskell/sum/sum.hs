main :: IO ()
main = interact $ \input -> show (sum (map read (words input)) :: Int) ++ "\n"
