package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
)

func solve(ratio float64) float64 {
	low, high := 0.0, 20.0
	for step := 0; step < 64; step++ {
		middle := (low + high) / 2
		if math.Sinh(middle) < ratio*middle {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var chains int
	fmt.Fscan(in, &chains)
	for ; chains > 0; chains-- {
		var gap, length float64
		fmt.Fscan(in, &gap, &length)
		fmt.Fprintln(out, length/2*math.Tanh(solve(length/gap)/2))
	}
}
