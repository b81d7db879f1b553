package main

import "fmt"

func main() {
	var bound int
	fmt.Scan(&bound)
	composite := make([]bool, bound/2+1) // odd numbers only
	primes := 0
	if bound >= 2 {
		primes = 1
	}
	for number := 3; number <= bound; number += 2 {
		if composite[number/2] {
			continue
		}
		primes++
		for multiple := number * number; multiple <= bound; multiple += 2 * number {
			composite[multiple/2] = true
		}
	}
	fmt.Println(primes)
}
