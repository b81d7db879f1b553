// Right, but prints a line more than asked for.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var a, b int64
	for {
		if _, err := fmt.Fscan(in, &a, &b); err != nil {
			break
		}
		if a < b {
			a, b = b, a
		}
		fmt.Println(a - b)
	}
	fmt.Println("done")
}
