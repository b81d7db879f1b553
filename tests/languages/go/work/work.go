package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	seen := map[int]bool{}
	for a, b := 0, 0; ; {
		if _, err := fmt.Fscan(in, &a, &b); err != nil {
			break
		}
		seen[a+b] = true
	}
	sums := []int{}
	for sum := range seen {
		sums = append(sums, sum)
	}
	sort.Ints(sums)
	for _, sum := range sums {
		fmt.Println(sum)
	}
}
