// Go's compiler refuses what is imported and not used.
package main

import "os"

func main() {
}
