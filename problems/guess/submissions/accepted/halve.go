package main

import "fmt"

func main() {
	var low, high, soundings int64 = 1, 0, 0
	fmt.Scan(&high, &soundings)
	for {
		depth := low + (high-low)/2
		fmt.Println(depth)
		var answer string
		fmt.Scan(&answer)
		switch answer {
		case "touched":
			return
		case "deeper":
			low = depth + 1
		default:
			high = depth - 1
		}
	}
}
