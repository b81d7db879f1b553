package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	ledger := book{balances: map[string]int64{}}
	var requests int
	fmt.Fscan(in, &requests)
	for ; requests > 0; requests-- {
		var verb, name, other string
		var amount int64
		fmt.Fscan(in, &verb, &name)
		switch verb {
		case "deposit":
			fmt.Fscan(in, &amount)
			ledger.balances[name] += amount
		case "transfer":
			fmt.Fscan(in, &other, &amount)
			ledger.transfer(name, other, amount)
		default:
			fmt.Fprintln(out, ledger.balances[name])
		}
	}
	fmt.Fprintln(out, "refused", ledger.refused)
}
