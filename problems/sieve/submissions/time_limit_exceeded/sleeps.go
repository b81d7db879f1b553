// Sieves nothing and sleeps: no processor time, no end.
package main

import "time"

func main() {
	for {
		time.Sleep(time.Hour)
	}
}
