// The plainest program in Go.
package main

import "fmt"

func main() {
	var n int
	fmt.Scan(&n)
	sum := int64(0)
	for i := 0; i < n; i++ {
		var value int64
		fmt.Scan(&value)
		sum += value
	}
	fmt.Println(sum)
}
