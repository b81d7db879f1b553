package scheduler

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// refusalsMax bounds what is kept about pods that found no node; the oldest go first.
	refusalsMax = 1000
	// refusedFor is for how long nodes are left out that others refused for a pod.
	refusedFor = time.Minute
)

// A refusal is why a pod found no node, the last time that it was tried.
type refusal struct {
	Pod      string          `json:"pod"`
	UID      types.UID       `json:"uid"`
	AtMs     int64           `json:"at_ms"`
	Refused  string          `json:"refused"`
	Decision json.RawMessage `json:"decision,omitempty"`
	object   *v1.Pod
}

type refusals struct {
	mutex sync.Mutex
	of    map[string]*refusal
	// order is by the first refusal.
	order []string
}

func newRefusals() *refusals { return &refusals{of: map[string]*refusal{}} }

func (r *refusals) note(pod *v1.Pod, why string, decision []byte, now time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	name := pod.Namespace + "/" + pod.Name
	if r.of[name] == nil {
		if len(r.order) >= refusalsMax {
			delete(r.of, r.order[0])
			r.order = slices.Delete(r.order, 0, 1)
		}
		r.order = append(r.order, name)
	}
	r.of[name] = &refusal{Pod: name, UID: pod.UID, AtMs: now.UnixMilli(), Refused: why, Decision: decision, object: pod}
}

// remove forgets a pod's refusal, but not that of a successor of the same name.
func (r *refusals) remove(pod *v1.Pod) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	name := pod.Namespace + "/" + pod.Name
	if kept := r.of[name]; kept == nil || kept.UID != pod.UID {
		return
	}
	delete(r.of, name)
	if at := slices.Index(r.order, name); at >= 0 {
		r.order = slices.Delete(r.order, at, at+1)
	}
}

func (r *refusals) get(name string) *refusal {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.of[name]
}

func (r *refusals) pods() map[string]*v1.Pod {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	all := make(map[string]*v1.Pod, len(r.of))
	for name, kept := range r.of {
		all[name] = kept.object
	}
	return all
}

// refusedElsewhere keeps which nodes other plugins refused for pods, by UID.
type refusedElsewhere struct {
	mutex sync.Mutex
	of    map[types.UID]*refusedNodes
}

type refusedNodes struct {
	hosts []string
	most  int
	until time.Time
}

func newRefusedElsewhere() *refusedElsewhere {
	return &refusedElsewhere{of: map[types.UID]*refusedNodes{}}
}

// leaveOut returns nodes to leave out, and how many others to ask for. That doubles each time, so that a pod that few nodes of
// many take finds them in a few attempts.
func (r *refusedElsewhere) leaveOut(uid types.UID, now time.Time) ([]string, int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	kept := r.of[uid]
	if kept == nil || now.After(kept.until) {
		return nil, hostsAsked
	}
	return slices.Clone(kept.hosts), kept.most
}

func (r *refusedElsewhere) add(uid types.UID, hosts []string, asked int, now time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for other, kept := range r.of {
		// There are few: pods that are being tried again.
		if now.After(kept.until) {
			delete(r.of, other)
		}
	}
	kept := r.of[uid]
	if kept == nil {
		kept = &refusedNodes{}
		r.of[uid] = kept
	}
	kept.hosts = append(kept.hosts, hosts...)
	kept.most = min(2*asked, hostsAskedMax)
	kept.until = now.Add(refusedFor)
}

func (r *refusedElsewhere) clear(uid types.UID) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.of, uid)
}
