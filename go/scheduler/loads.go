package scheduler

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	podresources "k8s.io/component-helpers/resource"
)

// A sample is what each pod used at one moment, in thousandths of a CPU, by "namespace/name".
type sample map[string]float64

// A loadSource knows what pods use.
type loadSource interface {
	// take notes what pods use now, if the source does not keep it by itself.
	take(ctx context.Context, now time.Time) error
	// samples returns what it knows of a window.
	samples(ctx context.Context, from, to time.Time) ([]sample, error)
}

type podFacts struct {
	node        string
	nodeMilli   uint32 // what the machine has, not what pods may request
	limitMilli  uint32 // 0 for none
	isStandard  bool
	startedLast time.Time
}

// A summary is what a window showed.
type summary struct {
	ended      time.Time
	jobs       map[string]observedLoad
	hosts      map[string]uint32
	impossible int
	measured   int
}

const (
	// A pod can use a little more than its limit between two periods of the kernel's quota, and counters are read late.
	overLimit = 1.2
	// limitMilliMin is what any pod may use: values this small are rounded, and a limit of 1m would make each impossible.
	limitMilliMin = 10
	// observeBytesMax is below what the desk takes as a message.
	observeBytesMax = 7 << 20
	// samplesInWindow is how many samples a window has at most.
	samplesInWindow = 10
	sampleEveryMin  = 15 * time.Second
	sampleEveryMax  = time.Minute
)

// sampleEvery is how often samples are taken. Metrics servers have new values every 15 seconds at best.
func sampleEvery(window time.Duration) time.Duration {
	return min(max(window/samplesInWindow, sampleEveryMin), sampleEveryMax, window)
}

// summarize takes mean and peak of each pod that ran in all of a window. Pods with impossible values are left out, and if
// these are more than a third of all the whole window is: a metrics server that is wrong by a factor of ten must do no harm.
func summarize(samples []sample, pods map[string]podFacts, from, to time.Time) (summary, error) {
	result := summary{ended: to, jobs: map[string]observedLoad{}, hosts: map[string]uint32{}}
	impossible := map[string]bool{}
	of := map[string][]float64{}
	nodes := make([]map[string]float64, len(samples))
	for i, sample := range samples {
		nodes[i] = map[string]float64{}
		for name, milli := range sample {
			facts, is := pods[name]
			// One that started within the window may have the values of an earlier pod of its name.
			if !is || facts.startedLast.After(from) {
				continue
			}
			of[name] = append(of[name], milli)
			if !isPossible(milli, facts) {
				impossible[name] = true
				continue
			}
			nodes[i][facts.node] += milli
		}
	}
	// Pods without limits can each look possible and be too much together.
	overloaded := map[string]bool{}
	for name := range of {
		facts := pods[name]
		for _, sums := range nodes {
			if sums[facts.node] > overLimit*float64(facts.nodeMilli) {
				overloaded[facts.node] = true
			}
		}
		if overloaded[facts.node] {
			impossible[name] = true
		}
	}
	result.measured, result.impossible = len(of), len(impossible)
	if 3*len(impossible) > len(of) {
		return result, fmt.Errorf("the loads of %d of %d pods are impossible; the window is not used", len(impossible), len(of))
	}
	used := map[string][]float64{}
	for name, values := range of {
		if impossible[name] || 2*len(values) < len(samples) {
			continue
		}
		sum, peak := 0.0, 0.0
		for _, milli := range values {
			sum += milli
			peak = max(peak, milli)
		}
		result.jobs[name] = observedLoad{MeanMilli: uint32(sum/float64(len(values)) + 0.5), PeakMilli: uint32(peak + 0.5)}
	}
	// The peak of a node is that of its standard pods together, not the sum of their peaks.
	for i, sample := range samples {
		for name, milli := range sample {
			if facts, is := pods[name]; is && facts.isStandard && !impossible[name] && !overloaded[facts.node] && isPossible(milli, facts) {
				if used[facts.node] == nil {
					used[facts.node] = make([]float64, len(samples))
				}
				used[facts.node][i] += milli
			}
		}
	}
	for node, sums := range used {
		peak := 0.0
		for _, milli := range sums {
			peak = max(peak, milli)
		}
		result.hosts[node] = uint32(peak + 0.5)
	}
	return result, nil
}

func isPossible(milli float64, facts podFacts) bool {
	if math.IsNaN(milli) || milli < 0 || milli > float64(facts.nodeMilli) {
		return false
	}
	return facts.limitMilli == 0 || milli <= max(float64(facts.limitMilli), limitMilliMin)*overLimit
}

// fit leaves out jobs with the smallest loads until a message has at most so many bytes, and returns how many.
func fit(request *observeRequest, most int) int {
	bytes := sizeOf(request)
	if bytes <= most {
		return 0
	}
	names := slices.SortedFunc(maps.Keys(request.Jobs), func(a, b string) int {
		one, other := request.Jobs[a], request.Jobs[b]
		return cmp.Or(cmp.Compare(one.MeanMilli, other.MeanMilli), cmp.Compare(one.PeakMilli, other.PeakMilli), cmp.Compare(a, b))
	})
	kept := maps.Clone(request.Jobs)
	left := 0
	for _, name := range names {
		if bytes <= most {
			break
		}
		// Two braces stand for a comma.
		bytes -= sizeOf(map[string]observedLoad{name: kept[name]}) - 1
		delete(kept, name)
		left++
	}
	request.Jobs = kept
	return left
}

func sizeOf(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		return 0
	}
	return len(text)
}

// limitOf returns the limit of all containers together; 0 if one has none.
func limitOf(pod *v1.Pod) uint32 {
	for container := range lastingContainers(pod) {
		if container.Resources.Limits.Cpu().IsZero() {
			return 0
		}
	}
	limits := podresources.PodLimits(pod, podresources.PodResourcesOptions{UseStatusResources: true})
	return atMost32(limits.Cpu().MilliValue())
}

// windowEnd returns the first multiple of a window's length after a time.
func windowEnd(now time.Time, window time.Duration) time.Time {
	ms := window.Milliseconds()
	return time.UnixMilli((now.UnixMilli()/ms + 1) * ms)
}
