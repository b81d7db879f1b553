// Sums what it reads. It has a go.mod, which Go reads under a lock.
package main

import "fmt"

func main() {
	var count, sum int
	fmt.Scan(&count)
	for range make([]int, count) {
		var number int
		fmt.Scan(&number)
		sum += number
	}
	fmt.Println(sum)
}
