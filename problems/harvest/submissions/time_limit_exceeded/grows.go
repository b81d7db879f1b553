// Computes the harvest of the row repeated for ever.
package main

import "fmt"

func main() {
	var trees int
	fmt.Scan(&trees)
	var total uint64
	for year := uint64(1); year != 0; year++ {
		total += year * uint64(trees)
	}
	fmt.Println(total)
}
