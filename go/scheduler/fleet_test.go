package scheduler

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"tautochrone.dev/fleet/decisions"
)

// listening is a desk that keeps what it is told, and may refuse services.
type listening struct {
	desk
	told            *[]string
	refusesServices bool
}

func (l listening) Call(name string, fields, answer any) error {
	*l.told = append(*l.told, fmt.Sprintf("%s %+v", name, fields))
	if request, is := fields.(assumeRequest); is && l.refusesServices && request.Job.Service != "" {
		return decisions.Refusal("no services")
	}
	return l.desk.Call(name, fields, answer)
}

func TestWhatRunsCountsWhateverItsAnnotationsAre(t *testing.T) {
	for name, change := range map[string]func(*v1.Pod){
		"plain":              func(*v1.Pod) {},
		"control characters": func(pod *v1.Pod) { owned(pod, "ReplicaSet", "a\nb") },
		"a long owner":       func(pod *v1.Pod) { owned(pod, "ReplicaSet", strings.Repeat("é", 200)) },
		"noise":              func(pod *v1.Pod) { annotated(pod, noiseMaxAnnotation, "4000000000") },
		"strict":             func(pod *v1.Pod) { annotated(pod, levelAnnotation, strict) },
		"best effort":        func(pod *v1.Pod) { annotated(pod, levelAnnotation, bestEffort) },
		"whole cores":        func(pod *v1.Pod) { annotated(pod, coresAnnotation, wholeCores) },
	} {
		t.Run(name, func(t *testing.T) {
			pod := on(newPod("running", "7"), "n0")
			change(pod)
			h := newHarness(t, &Args{}, openFleet, newNode("n0", "8"), pod)
			if _, hosts, _ := h.decide(newPod("other", "4")); h.figures().Jobs != 1 || hosts != nil {
				t.Errorf("%d pods count, and another one gets %v", h.figures().Jobs, hosts)
			}
			if level := h.fleet.pods[pod.UID].record.Level; level != standard {
				t.Errorf("it is %s", level)
			}
		})
	}
}

func TestARefusedPodThatRunsCountsWithoutItsWishes(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNode("n0", "8"))
	var told []string
	h.fleet.desk = listening{h.fleet.desk, &told, true}
	pod := on(annotated(owned(newPod("p", "7"), "ReplicaSet", "r"), apartAnnotation, "true"), "n0")
	for range 2 {
		h.enterPod(pod)
	}
	if h.figures().Jobs != 1 {
		t.Errorf("it does not count: %v", told)
	}
	expect := jobRecord{Job: "ns/p", CPUMilli: 7000, MemoryMiB: 64, Level: standard}
	if record := h.fleet.pods[pod.UID].record; !same(record, expect) {
		t.Errorf("found %+v", record)
	}
}

func TestStrictPodsOfAlmostNothingAreRefused(t *testing.T) {
	node := newNode("n0", "16")
	node.Annotations[threadsAnnotation] = "2"
	h := newHarness(t, &Args{}, openFleet, node)
	if _, hosts, status := h.decide(annotated(newPod("p", "1m"), levelAnnotation, strict)); hosts != nil || !status.IsRejected() {
		t.Errorf("%v, %v", hosts, status)
	}
	if _, hosts, status := h.decide(annotated(guaranteed(newPod("p", "2")), levelAnnotation, strict)); len(hosts) != 1 {
		t.Error(status)
	}
}

// This one fails with a libtautochrone whose messages do not have idle_siblings yet.
func TestWholeCoresAreAskedForWithTheirSiblings(t *testing.T) {
	node := newNode("n0", "8")
	node.Annotations[threadsAnnotation] = "2"
	h := newHarness(t, &Args{}, openFleet, node)
	whole := func(cpus string) *v1.Pod {
		return annotated(guaranteed(newPod("p", cpus)), coresAnnotation, wholeCores)
	}
	if _, hosts, status := h.decide(whole("4")); len(hosts) != 1 {
		t.Errorf("four cores: %v, %v", hosts, status)
	}
	if _, hosts, _ := h.decide(whole("5")); hosts != nil {
		t.Errorf("a node of four cores has five: %v", hosts)
	}
	if _, hosts, status := h.decide(annotated(whole("5"), siblingsAnnotation, usedSiblings)); len(hosts) != 1 {
		t.Errorf("three cores: %v, %v", hosts, status)
	}
}

func TestAnnotationsAfterTheBindingChangeNothing(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(1)...)
	h.fleet.list = func() ([]*v1.Node, []*v1.Pod, error) {
		patched := annotated(on(guaranteed(newPod("p", "3")), "n0"), levelAnnotation, standard)
		return []*v1.Node{newNode("n0", "8")}, []*v1.Pod{patched}, nil
	}
	pod := annotated(guaranteed(newPod("p", "2")), levelAnnotation, strict)
	h.place(pod)
	level := func(expect string, cpuMilli uint32) {
		t.Helper()
		if record := h.fleet.pods[pod.UID].record; record.Level != expect || record.CPUMilli != cpuMilli {
			t.Errorf("found %+v, expected %s", record, expect)
		}
	}
	h.enterPod(annotated(on(guaranteed(newPod("p", "2")), "n0"), levelAnnotation, standard))
	level(strict, 2000)
	h.enterPod(annotated(on(guaranteed(newPod("p", "3")), "n0"), levelAnnotation, standard))
	level(strict, 3000)
	h.fleet.mutex.Lock()
	h.fleet.reopen()
	h.fleet.mutex.Unlock()
	level(strict, 3000)
	successor := annotated(on(guaranteed(newPod("p", "2")), "n0"), levelAnnotation, standard)
	successor.UID = "uid-successor"
	h.enterPod(successor)
	if record := h.fleet.pods[successor.UID].record; record.Level != standard || h.figures().Jobs != 1 {
		t.Errorf("the successor has %+v", record)
	}
}

func TestADecidedPodThatIsDeletedIsForgotten(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(1)...)
	var told []string
	h.fleet.desk = listening{h.fleet.desk, &told, false}
	forgotten := func() (count int) {
		for _, message := range told {
			if strings.HasPrefix(message, "forget {Job:ns/p ") {
				count++
			}
		}
		return count
	}
	pod := newPod("p", "1")
	h.decide(pod)
	another := newPod("p", "1")
	another.UID = types.UID("uid-another")
	h.removePod(another)
	if forgotten() != 0 {
		t.Errorf("another pod of its name: %v", told)
	}
	h.removePod(pod)
	h.removePod(pod)
	if forgotten() != 1 || len(h.fleet.decided) != 0 {
		t.Errorf("told %v, decided %v", told, h.fleet.decided)
	}
	h.place(pod)
	if len(h.fleet.decided) != 0 {
		t.Errorf("decided %v", h.fleet.decided)
	}
	h.decide(another)
	h.removePod(another)
	if h.figures().Jobs != 1 {
		t.Error("its predecessor still runs")
	}
}

func TestNodesThatNeverComeAreNotKept(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNode("n0", "8"))
	for i := range 10 {
		pod := on(newPod(fmt.Sprint("p", i), "1"), fmt.Sprint("unknown", i))
		h.enterPod(pod)
		h.removePod(pod)
	}
	if len(h.fleet.waiting) != 0 {
		t.Errorf("waiting: %v", h.fleet.waiting)
	}
}
