import Data.Int (Int64)

difference :: String -> Int64
difference line = case map read (words line) of
  [a, b] -> abs (a - b)
  _ -> error ("expected two integers, got: " ++ line)

main :: IO ()
main = interact (unlines . map (show . difference) . lines)
