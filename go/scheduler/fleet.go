package scheduler

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"tautochrone.dev/fleet/decisions"
)

// decidedMax bounds pods that were deleted before they were decided about.
const decidedMax = 10_000

// A fleet keeps one desk up to date with nodes and pods, by messages about what changed.
type fleet struct {
	// explain is how much the desk says about a decision: looking at every node takes longer than deciding.
	explain string
	cluster string
	logger  klog.Logger
	now     func() time.Time
	open    func() (desk, error)
	// list returns what there is, for another desk.
	list func() ([]*v1.Node, []*v1.Pod, error)
	// lost is called when a desk was lost.
	lost func()

	mutex    sync.Mutex
	desk     desk
	reopenAt time.Time
	policy   string
	nodes    map[string]*knownNode
	objects  map[string]*v1.Node
	tainted  map[string]*v1.Node
	pods     map[types.UID]*knownPod
	// uids has the pod of each name that the desk knows.
	uids map[string]types.UID
	// waiting are pods whose node the desk does not know, by node.
	waiting map[string]map[types.UID]bool
	// decided has the pod of each name that the desk decided about and that has no node yet.
	decided map[string]types.UID
	// before has the pods of a desk that was lost, while another one takes what there is.
	before map[types.UID]*knownPod
	// isShortened is whether a window had too many pods for a message, which is said once.
	isShortened atomic.Bool
}

type knownNode struct {
	record   hostRecord
	standing standing
	// isTaken is false if the desk refused the node.
	isTaken bool
}

type knownPod struct {
	record jobRecord
	pod    *v1.Pod
	node   string
	// isBound is whether the API server has it on the node: until then only this scheduler knows.
	isBound bool
	// isHeld is whether the desk knows it.
	isHeld bool
}

// newFleet opens a desk.
func newFleet(cluster string, logger klog.Logger, open func() (desk, error)) (*fleet, error) {
	opened, err := open()
	if err != nil {
		return nil, err
	}
	f := &fleet{cluster: cluster, logger: logger, explain: explainBrief, now: time.Now, open: open, lost: func() {},
		desk: opened}
	f.list = func() ([]*v1.Node, []*v1.Pod, error) { return nil, nil, errors.New("there are no listers yet") }
	f.clear()
	return f, nil
}

func (f *fleet) clear() {
	f.nodes, f.objects, f.tainted = map[string]*knownNode{}, map[string]*v1.Node{}, map[string]*v1.Node{}
	f.pods, f.uids = map[types.UID]*knownPod{}, map[string]types.UID{}
	f.waiting, f.decided = map[string]map[types.UID]bool{}, map[string]types.UID{}
}

func (f *fleet) close() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.desk != nil {
		f.desk.Close()
		f.desk = nil
	}
	f.open = func() (desk, error) { return nil, errors.New("the scheduler ends") }
}

func (f *fleet) nowMs() uint64 { return uint64(f.now().UnixMilli()) }

func (f *fleet) setPolicy(text string) (policyAnswer, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var answer policyAnswer
	err := f.call("policy", policyRequest{text, f.nowMs()}, &answer)
	if err == nil {
		f.policy = text
	}
	return answer, err
}

// enterNode reports a node. It returns complaints about annotations, the first time that they are there.
func (f *fleet) enterNode(node *v1.Node) ([]error, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.setNode(node)
}

// refreshNode reports a node as a lister has it. The lister is read with the lock: a deletion that is not in it yet comes
// afterwards, as an event.
func (f *fleet) refreshNode(get func() (*v1.Node, error)) ([]error, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	node, err := get()
	if err != nil {
		// It is gone, which its event reports.
		return nil, nil
	}
	return f.setNode(node)
}

// refreshPod reports a pod as a lister has it, or its end if the lister has it no more.
func (f *fleet) refreshPod(uid types.UID, get func() (*v1.Pod, error)) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if pod, err := get(); err == nil && pod.UID == uid {
		return f.setPod(pod)
	}
	return f.drop(uid)
}

func (f *fleet) setNode(node *v1.Node) ([]error, error) {
	f.objects[node.Name] = node
	delete(f.tainted, node.Name)
	if isTainted(node) {
		f.tainted[node.Name] = node
	}
	record, complaints := recordOfNode(node, f.cluster)
	if record.CPUMilli == 0 {
		// Its kubelet has not reported what it has.
		return nil, nil
	}
	known, is := f.nodes[node.Name]
	if !is || !reflect.DeepEqual(known.record, record) {
		timed := record
		timed.AtMs = f.nowMs()
		err := f.call("host", timed, nil)
		if isOurs(err) {
			return nil, err
		}
		if !is {
			known = &knownNode{standing: up}
			f.nodes[node.Name] = known
		}
		// A node that was changed to what is refused stays as it was.
		known.record, known.isTaken = record, known.isTaken || err == nil
		if err != nil {
			return complaints, err
		}
	} else {
		complaints = nil
	}
	if !known.isTaken {
		return complaints, nil
	}
	if to := standingOf(node); known.standing != to {
		if err := f.call("change", changeRecord{node.Name, f.nowMs(), to}, nil); err != nil {
			return complaints, err
		}
		known.standing = to
	}
	return complaints, f.enterWaiting(node.Name)
}

// enterWaiting reports pods whose node was not known before.
func (f *fleet) enterWaiting(node string) error {
	waiting := f.waiting[node]
	delete(f.waiting, node)
	for uid := range waiting {
		if err := f.assume(uid, f.pods[uid]); isOurs(err) {
			return err
		}
	}
	return nil
}

// removeNode reports that a node is gone. Its pods are deleted on their own, and count again should it come back first.
func (f *fleet) removeNode(name string) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	delete(f.tainted, name)
	delete(f.objects, name)
	known := f.nodes[name]
	if known == nil || !known.isTaken {
		delete(f.nodes, name)
		return nil
	}
	if err := f.call("change", changeRecord{name, f.nowMs(), down}, nil); err != nil {
		return err
	}
	known.standing = down
	for uid, pod := range f.pods {
		if pod.node == name {
			pod.isHeld = false
			f.wait(name, uid)
		}
	}
	return nil
}

func (f *fleet) wait(node string, uid types.UID) {
	if f.waiting[node] == nil {
		f.waiting[node] = map[types.UID]bool{}
	}
	f.waiting[node][uid] = true
}

// enterPod reports a pod as the API server has it.
func (f *fleet) enterPod(pod *v1.Pod) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.setPod(pod)
}

func (f *fleet) setPod(pod *v1.Pod) error {
	switch {
	case isFinished(pod):
		return f.drop(pod.UID)
	case pod.Spec.NodeName == "":
		return nil
	}
	return f.assign(pod, pod.Spec.NodeName, true)
}

// reserve reports where a pod will be, before the API server knows.
func (f *fleet) reserve(pod *v1.Pod, node string) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.assign(pod, node, false)
}

// unreserve reports that a pod will not come, unless it has come: a binding can succeed whose answer was lost.
func (f *fleet) unreserve(uid types.UID) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if known := f.pods[uid]; known == nil || known.isBound {
		return nil
	}
	return f.drop(uid)
}

// removePod reports that a pod is gone, also one that was only decided about.
func (f *fleet) removePod(pod *v1.Pod) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if name := jobName(pod.Namespace, pod.Name); f.pods[pod.UID] == nil && f.decided[name] == pod.UID {
		delete(f.decided, name)
		if _, is := f.uids[name]; is {
			// Its predecessor of the same name still counts.
			return nil
		}
		return f.call("forget", forgetRequest{name, f.nowMs()}, nil)
	}
	return f.drop(pod.UID)
}

func (f *fleet) assign(pod *v1.Pod, node string, isBound bool) error {
	// Whatever its annotations are: where it is, it counts.
	record, _ := recordOfPod(pod)
	known := f.pods[pod.UID]
	if earlier := cmp.Or(known, f.before[pod.UID]); earlier != nil && earlier.node == node {
		record = resized(earlier.record, record)
	}
	if known != nil && known.node == node && reflect.DeepEqual(known.record, record) {
		known.isBound = known.isBound || isBound
		known.pod = pod
		return nil
	}
	if known != nil {
		if err := f.drop(pod.UID); isOurs(err) {
			return err
		}
	}
	if before, is := f.uids[record.Job]; is {
		// A pod of the same name is gone, and the event is still to come.
		if err := f.drop(before); isOurs(err) {
			return err
		}
	}
	known = &knownPod{record: record, pod: pod, node: node, isBound: isBound}
	f.pods[pod.UID] = known
	delete(f.decided, record.Job)
	f.uids[record.Job] = pod.UID
	return f.assume(pod.UID, known)
}

func (f *fleet) assume(uid types.UID, known *knownPod) error {
	if node := f.nodes[known.node]; node == nil || !node.isTaken || node.standing == down {
		f.wait(known.node, uid)
		return nil
	}
	err := f.call("assume", assumeRequest{f.timed(known.record), known.node}, nil)
	var refusal decisions.Refusal
	if errors.As(err, &refusal) {
		// Otherwise others would get what it uses.
		bare := bareRecord(known.record)
		if again := f.call("assume", assumeRequest{f.timed(bare), known.node}, nil); again == nil {
			f.logger.Info("a pod counts as a standard one of no service", "pod", bare.Job, "why", err.Error())
			known.record, err = bare, nil
		}
	}
	known.isHeld = err == nil
	return err
}

// resized returns what was assumed of a pod with the amounts that it has now: annotations that are written after the binding
// change nothing.
func resized(earlier, now jobRecord) jobRecord {
	earlier.CPUMilli, earlier.MemoryMiB = now.CPUMilli, now.MemoryMiB
	return earlier
}

// bareRecord has only what counts on a node.
func bareRecord(of jobRecord) jobRecord {
	return jobRecord{Job: of.Job, CPUMilli: of.CPUMilli, MemoryMiB: of.MemoryMiB, Level: standard}
}

func (f *fleet) timed(record jobRecord) jobRecord {
	record.AtMs = f.nowMs()
	return record
}

// drop forgets a pod by its UID, so that a late event never means its successor of the same name.
func (f *fleet) drop(uid types.UID) error {
	known := f.pods[uid]
	if known == nil {
		return nil
	}
	delete(f.pods, uid)
	delete(f.waiting[known.node], uid)
	if len(f.waiting[known.node]) == 0 {
		delete(f.waiting, known.node)
	}
	if f.uids[known.record.Job] != uid {
		return nil
	}
	delete(f.uids, known.record.Job)
	return f.call("forget", forgetRequest{known.record.Job, f.nowMs()}, nil)
}

// decide asks for the best nodes. Nodes of except are those that others of the scheduler refused. A policy names a few
// candidates at once; where more are asked for, it is asked again without those that it named.
func (f *fleet) decide(pod *v1.Pod, record jobRecord, except []string, most int) (decided, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	allowed := admits(f.logger, pod, f.objects, f.tainted)
	request := decideRequest{Job: f.timed(record), Only: allowed.only, Most: most, Explain: f.explain}
	request.Except = slices.Concat(allowed.except, except)
	// Sorted, so that equal states give equal messages.
	slices.Sort(request.Except)
	if request.Only != nil {
		slices.Sort(*request.Only)
	}
	var answer decided
	if len(f.decided) >= decidedMax {
		// The desk, too, keeps only so many.
		clear(f.decided)
	}
	f.decided[record.Job] = pod.UID
	if err := f.call("decide", request, &answer); err != nil || most <= hostsAsked {
		return answer, err
	}
	more := answer
	for len(more.Hosts) > 0 && len(answer.Hosts) < most {
		for _, place := range more.Hosts {
			request.Except = append(request.Except, place.Host)
		}
		request.Most, request.Explain, more = most-len(answer.Hosts), "", decided{}
		if err := f.call("decide", request, &more); err != nil {
			return answer, err
		}
		answer.Hosts = append(answer.Hosts, more.Hosts...)
	}
	return answer, nil
}

func (f *fleet) observe(window summary) error {
	request := observeRequest{EndedMs: uint64(window.ended.UnixMilli()), Jobs: window.jobs, Hosts: window.hosts}
	if left := fit(&request, observeBytesMax); left > 0 && !f.isShortened.Swap(true) {
		f.logger.Info("windows of loads have too many pods for a message; those with the smallest loads are left out", "pods", left)
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	request.AtMs = f.nowMs()
	return f.call("observe", request, nil)
}

// reschedule asks for moves. They count where they should go, until putBack or the pod's end.
func (f *fleet) reschedule() ([]proposed, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var moves []move
	if err := f.call("reschedule", timeRequest{f.nowMs()}, &moves); err != nil {
		return nil, err
	}
	var all []proposed
	for _, move := range moves {
		if known := f.pods[f.uids[move.Job]]; known != nil {
			all = append(all, proposed{move: move, pod: known.pod})
		}
	}
	return all, nil
}

// putBack reports that a pod stays where it is.
func (f *fleet) putBack(uid types.UID) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	known := f.pods[uid]
	if known == nil || !known.isHeld {
		return nil
	}
	return f.assume(uid, known)
}

func (f *fleet) state() (figures, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var answer figures
	err := f.call("state", timeRequest{f.nowMs()}, &answer)
	return answer, err
}

func (f *fleet) trace(name string) (string, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var answer string
	err := f.call("trace", map[string]string{"name": name}, &answer)
	return answer, err
}

// runningPods returns what is known of pods that the API server has on a node, by name.
func (f *fleet) runningPods() map[string]podFacts {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	facts := make(map[string]podFacts, len(f.uids))
	for name, uid := range f.uids {
		known := f.pods[uid]
		node := f.nodes[known.node]
		if !known.isHeld || !known.isBound || node == nil || known.pod.Status.StartTime == nil {
			continue
		}
		facts[name] = podFacts{
			node:        known.node,
			nodeMilli:   max(node.record.CPUMilli, f.capacity(known.node)),
			limitMilli:  limitOf(known.pod),
			isStandard:  known.record.Level == standard,
			startedLast: later(known.pod.Status.StartTime.Time, known.pod.CreationTimestamp.Time),
		}
	}
	return facts
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func (f *fleet) capacity(node string) uint32 {
	if object := f.objects[node]; object != nil {
		return atMost32(object.Status.Capacity.Cpu().MilliValue())
	}
	return 0
}
