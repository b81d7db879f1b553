// Package node gives containers whole cores of their node, through the container runtime's plugin interface (NRI), and
// reports which CPUs each container really has. The allocator of tauto decides; this package translates.
package node

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cpuNumberMax is above every CPU number that Linux can be built for, and bounds what a list such as 0-9999999999 costs.
const cpuNumberMax = 1<<16 - 1

// CPUs is a set of CPU numbers, or of NUMA node numbers, in ascending order. It has no largest size.
type CPUs []int

// ParseCPUs reads a list as the kernel writes it, as in 0-3,8.
func ParseCPUs(text string) (CPUs, error) {
	cpus := CPUs{}
	text = strings.TrimSpace(text)
	if text == "" {
		return cpus, nil
	}
	for _, part := range strings.Split(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		from, err := parseNumber(first)
		if err != nil {
			return nil, fmt.Errorf("'%s' is not a list of CPUs such as 0-3,8: %w", text, err)
		}
		to, err := parseNumber(last)
		if err != nil {
			return nil, fmt.Errorf("'%s' is not a list of CPUs such as 0-3,8: %w", text, err)
		}
		if to < from {
			return nil, fmt.Errorf("'%s' is not a list of CPUs such as 0-3,8: '%s' is descending", text, part)
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

func parseNumber(text string) (int, error) {
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 || number > cpuNumberMax {
		return 0, fmt.Errorf("'%s' is not a number from 0 to %d", text, cpuNumberMax)
	}
	return number, nil
}

// String writes the list as the kernel does.
func (c CPUs) String() string {
	var text strings.Builder
	for at := 0; at < len(c); {
		end := at
		for end+1 < len(c) && c[end+1] == c[end]+1 {
			end++
		}
		if at > 0 {
			text.WriteByte(',')
		}
		text.WriteString(strconv.Itoa(c[at]))
		if end > at {
			text.WriteByte('-')
			text.WriteString(strconv.Itoa(c[end]))
		}
		at = end + 1
	}
	return text.String()
}

// Has reports whether the set contains a CPU.
func (c CPUs) Has(cpu int) bool {
	_, found := slices.BinarySearch(c, cpu)
	return found
}

// Equal reports whether both sets are the same.
func (c CPUs) Equal(other CPUs) bool { return slices.Equal(c, other) }

// Overlaps reports whether both sets have a CPU in common.
func (c CPUs) Overlaps(other CPUs) bool { return slices.ContainsFunc(c, other.Has) }

// Or returns the CPUs of either set.
func (c CPUs) Or(other CPUs) CPUs {
	both := append(slices.Clone(c), other...)
	slices.Sort(both)
	return slices.Compact(both)
}

// And returns the CPUs of both sets.
func (c CPUs) And(other CPUs) CPUs { return c.filter(other.Has) }

// Minus returns the CPUs that the other set lacks.
func (c CPUs) Minus(other CPUs) CPUs { return c.filter(func(cpu int) bool { return !other.Has(cpu) }) }

func (c CPUs) filter(keep func(int) bool) CPUs {
	kept := CPUs{}
	for _, cpu := range c {
		if keep(cpu) {
			kept = append(kept, cpu)
		}
	}
	return kept
}
