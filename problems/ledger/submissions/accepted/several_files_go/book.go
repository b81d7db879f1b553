package main

// book holds the balances of all members and counts the transfers that failed.
type book struct {
	balances map[string]int64
	refused  int
}

func (b *book) transfer(from, to string, amount int64) {
	if b.balances[from] < amount {
		b.refused++
		return
	}
	b.balances[from] -= amount
	b.balances[to] += amount
}
