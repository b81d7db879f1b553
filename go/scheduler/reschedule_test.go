package scheduler

import (
	"context"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
)

// moving is a desk that proposes moves.
type moving struct {
	desk
	moves    []move
	putBacks *[]string
}

func (m moving) Call(name string, fields, answer any) error {
	if name == "reschedule" {
		*answer.(*[]move) = m.moves
		return nil
	}
	if request, is := fields.(assumeRequest); is {
		*m.putBacks = append(*m.putBacks, request.Job.Job+"@"+request.Host)
	}
	return m.desk.Call(name, fields, answer)
}

func TestPodsAreMovedByEviction(t *testing.T) {
	pods := map[string]*v1.Pod{
		"ns/ok":      owned(newPod("ok", "1"), "ReplicaSet", "r"),
		"ns/budget":  owned(newPod("budget", "1"), "ReplicaSet", "r"),
		"ns/bare":    newPod("bare", "1"),
		"ns/daemon":  owned(newPod("daemon", "1"), "DaemonSet", "d"),
		"ns/mirror":  annotated(owned(newPod("mirror", "1"), "Node", "n0"), mirrorPod, "x"),
		"ns/other":   owned(newPod("other", "1"), "ReplicaSet", "r"),
		"ns/toomany": owned(newPod("toomany", "1"), "ReplicaSet", "r"),
	}
	pods["ns/other"].Spec.SchedulerName = "another"
	objects := newNodes(2)
	var moves []move
	for _, name := range []string{"ns/budget", "ns/bare", "ns/daemon", "ns/mirror", "ns/other", "ns/ok", "ns/toomany"} {
		objects = append(objects, on(pods[name], "n0"))
		moves = append(moves, move{name, "n0", "n1", "hot"})
	}
	args := &Args{Rescheduling: &ReschedulingArgs{EvictionsMax: 1}}
	h := newHarness(t, args, openFleet, objects...)
	until(t, "the pods are known", func() bool { return h.figures().Jobs == len(pods) })
	var putBacks, evicted []string
	h.fleet.desk = moving{h.fleet.desk, moves, &putBacks}
	h.handle.client.PrependReactor("create", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
		eviction := action.(k8stesting.CreateAction).GetObject().(*policyv1.Eviction)
		if uid := eviction.DeleteOptions.Preconditions.UID; uid == nil || *uid != pods["ns/"+eviction.Name].UID {
			t.Errorf("%s: UID %v", eviction.Name, uid)
		}
		if eviction.Name == "budget" {
			return true, nil, apierrors.NewTooManyRequests("a disruption budget", 1)
		}
		evicted = append(evicted, eviction.Name)
		return true, nil, nil
	})
	h.rescheduleOnce(context.Background())
	if !slices.Equal(evicted, []string{"ok"}) {
		t.Errorf("evicted %v", evicted)
	}
	expect := []string{"ns/budget@n0", "ns/bare@n0", "ns/daemon@n0", "ns/mirror@n0", "ns/other@n0", "ns/toomany@n0"}
	if !slices.Equal(putBacks, expect) {
		t.Errorf("put back %v", putBacks)
	}
	if h.handle.recorder.find("ok Normal Rescheduled evicted from n0 (hot)") == "" {
		t.Errorf("events %v", h.handle.recorder.events)
	}
}

func TestNodesAreEmptiedAsAWholeOrNotAtAll(t *testing.T) {
	replica := func(name string) *v1.Pod { return owned(newPod(name, "1"), "ReplicaSet", "r") }
	for name, test := range map[string]struct {
		pods    []*v1.Pod
		most    int
		evicted []string
		back    []string
	}{
		"all of it": {[]*v1.Pod{replica("a"), replica("b")}, 2, []string{"a", "b"}, nil},
		"what would not run elsewhere does not count": {
			[]*v1.Pod{replica("a"), ofDaemonSet(newPod("d", "1"), "n0"), annotated(newPod("m", "1"), mirrorPod, "x")}, 1,
			[]string{"a"}, []string{"ns/d@n0", "ns/m@n0"},
		},
		"more than the budget":   {[]*v1.Pod{replica("a"), replica("b")}, 1, nil, []string{"ns/a@n0", "ns/b@n0"}},
		"one may not be evicted": {[]*v1.Pod{replica("a"), newPod("bare", "1")}, 5, nil, []string{"ns/a@n0", "ns/bare@n0"}},
		"one is refused":         {[]*v1.Pod{replica("a"), replica("budget"), replica("c")}, 5, []string{"a"}, []string{"ns/budget@n0", "ns/c@n0"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := newNodes(3)
			moves := []move{}
			for _, pod := range test.pods {
				objects = append(objects, on(pod, "n0"))
				moves = append(moves, move{"ns/" + pod.Name, "n0", "n1", emptyReason})
			}
			// What follows still has its turn, in the budget that is left.
			objects = append(objects, on(replica("hot"), "n2"))
			moves = append(moves, move{"ns/hot", "n2", "n1", "hot"})
			h := newHarness(t, &Args{Rescheduling: &ReschedulingArgs{EvictionsMax: test.most}}, openFleet, objects...)
			until(t, "the pods are known", func() bool { return h.figures().Jobs == len(test.pods)+1 })
			var putBacks, evicted []string
			h.fleet.desk = moving{h.fleet.desk, moves, &putBacks}
			h.handle.client.PrependReactor("create", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
				name := action.(k8stesting.CreateAction).GetObject().(*policyv1.Eviction).Name
				if name == "budget" {
					return true, nil, apierrors.NewTooManyRequests("a disruption budget", 1)
				}
				evicted = append(evicted, name)
				return true, nil, nil
			})
			h.rescheduleOnce(context.Background())
			if len(test.evicted) < test.most {
				test.evicted = append(test.evicted, "hot")
			} else {
				test.back = append(test.back, "ns/hot@n2")
			}
			slices.Sort(putBacks)
			slices.Sort(test.back)
			if !slices.Equal(evicted, test.evicted) || !slices.Equal(putBacks, test.back) {
				t.Errorf("evicted %v, put back %v; expected %v, %v", evicted, putBacks, test.evicted, test.back)
			}
		})
	}
}
