// An index out of range panics; the run time exits 2.
package main

import "fmt"

func main() {
	values := []int{1, 2, 3}
	index := len(values)
	fmt.Println(values[index])
}
