package node

import (
	"slices"
	"sync"
	"time"
)

// timingsMax bounds what is kept: the latest decisions.
const timingsMax = 4096

// timings are how long decisions took.
type timings struct {
	mutex sync.Mutex
	all   []time.Duration
	next  int
}

func (t *timings) measure(since time.Time) {
	took := time.Since(since)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.all) < timingsMax {
		t.all = append(t.all, took)
		return
	}
	t.all[t.next] = took
	t.next = (t.next + 1) % timingsMax
}

// quantiles returns how many there were lately, their median and the one that 99 of 100 stay below.
func (t *timings) quantiles() (count int, median, most time.Duration) {
	t.mutex.Lock()
	sorted := slices.Clone(t.all)
	t.mutex.Unlock()
	if len(sorted) == 0 {
		return 0, 0, 0
	}
	slices.Sort(sorted)
	return len(sorted), sorted[len(sorted)/2], sorted[len(sorted)*99/100]
}
