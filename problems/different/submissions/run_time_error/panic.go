// Writes to a map that was never made.
package main

import "fmt"

func main() {
	var a, b int64
	var seen map[int64]bool
	fmt.Scan(&a, &b)
	seen[a-b] = true
	fmt.Println(len(seen))
}
