// The prime number theorem is true, but not that true.
package main

import (
	"fmt"
	"math"
)

func main() {
	var bound float64
	fmt.Scan(&bound)
	fmt.Println(int(bound / math.Log(bound+1)))
}
