import qualified Data.Set as Set

pairs :: [Int] -> [Int]
pairs (a : b : rest) = a + b : pairs rest
pairs _ = []

main :: IO ()
main = interact (unlines . map show . Set.toAscList . Set.fromList . pairs . map read . words)
