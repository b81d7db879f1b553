// Goroutines over channels; the run time starts threads as it likes.
package main

import (
	"fmt"
	"sync"
)

func main() {
	parts := make(chan int)
	var workers sync.WaitGroup
	for i := 0; i < 100; i++ {
		workers.Add(1)
		go func(part int) {
			defer workers.Done()
			parts <- part
		}(i)
	}
	go func() {
		workers.Wait()
		close(parts)
	}()
	sum := 0
	for part := range parts {
		sum += part
	}
	fmt.Println(sum)
}
