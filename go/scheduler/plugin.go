// Package scheduler is a plugin of kube-scheduler that places pods by the policies of tauto. It translates nodes, pods and
// loads into messages for the decisions, and the answers into results of the scheduling framework. It decides nothing.
package scheduler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"tautochrone.dev/fleet/decisions"
)

// Name is the plugin's name in the scheduler's configuration.
const Name = "Tautochrone"

const (
	// hostsAsked is how many nodes a decision names, so that the other filters have a choice.
	hostsAsked = 16
	// hostsAskedMax bounds how far that grows for a pod whose nodes others refuse.
	hostsAskedMax = 4096
	// syncWait is how long the first pods wait until nodes and pods are known.
	syncWait = 30 * time.Second
	syncPoll = 20 * time.Millisecond
	// activatePause lets the scheduler put a pod back into its queue before it is taken out again: in the queue it would
	// wait for its back-off, though there are other nodes.
	activatePause = 20 * time.Millisecond
)

// Plugin places pods.
type Plugin struct {
	handle   fwk.Handle
	args     *Args
	logger   klog.Logger
	fleet    *fleet
	nodes    corelisters.NodeLister
	podsOf   corelisters.PodLister
	synced   []cache.InformerSynced
	syncBy   time.Time
	isSynced atomic.Bool
	refusals *refusals
	refused  *refusedElsewhere
	source   loadSource

	policyMutex sync.Mutex
	inUse       policyAnswer
	changed     chan struct{} // closed when the policy changes
	isStale     atomic.Bool
}

var (
	_ fwk.PreFilterPlugin   = &Plugin{}
	_ fwk.PostFilterPlugin  = &Plugin{}
	_ fwk.PreScorePlugin    = &Plugin{}
	_ fwk.ScorePlugin       = &Plugin{}
	_ fwk.ReservePlugin     = &Plugin{}
	_ fwk.BindPlugin        = &Plugin{}
	_ fwk.EnqueueExtensions = &Plugin{}
)

// New makes the plugin, as the scheduler's registry wants it.
func New(ctx context.Context, object runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args, err := readArgs(object)
	if err != nil {
		return nil, err
	}
	return start(ctx, args, handle, openFleet)
}

func start(ctx context.Context, args *Args, handle fwk.Handle, open func() (desk, error)) (*Plugin, error) {
	registerMetrics()
	logger := klog.LoggerWithName(klog.FromContext(ctx), Name)
	fleet, err := newFleet(args.Cluster, logger, open)
	if err != nil {
		return nil, err
	}
	core := handle.SharedInformerFactory().Core().V1()
	p := &Plugin{
		handle: handle, args: args, logger: logger, fleet: fleet, nodes: core.Nodes().Lister(), podsOf: core.Pods().Lister(),
		refusals: newRefusals(), refused: newRefusedElsewhere(), changed: make(chan struct{}), syncBy: time.Now().Add(syncWait),
	}
	fleet.list = p.list
	if args.Annotate == annotateFull {
		fleet.explain = explainFull
	}
	fleet.lost = p.deskLost
	if err := p.usePolicy(args.builtInText()); err != nil {
		fleet.close()
		return nil, err
	}
	if err := p.watch(ctx); err != nil {
		fleet.close()
		return nil, err
	}
	if err := p.startLoops(ctx); err != nil {
		fleet.close()
		return nil, err
	}
	context.AfterFunc(ctx, fleet.close)
	return p, nil
}

// startLoops starts what goes on next to scheduling.
func (p *Plugin) startLoops(ctx context.Context) error {
	if p.args.Listen != nil {
		if err := p.serve(ctx, p.args.Listen.Address); err != nil {
			return err
		}
	}
	if loads := p.args.Loads; loads != nil {
		if loads.Prometheus != nil {
			p.source = newPrometheus(loads.Prometheus)
		} else {
			source, err := newMetricsAPI(p.handle.KubeConfig())
			if err != nil {
				return err
			}
			p.source = source
		}
	}
	go p.watchLoads(ctx)
	if p.args.Rescheduling != nil && p.args.Rescheduling.Enabled {
		return p.startRescheduling(ctx)
	}
	return nil
}

func (p *Plugin) Name() string { return Name }

func (p *Plugin) list() ([]*v1.Node, []*v1.Pod, error) {
	nodes, err := p.nodes.List(labels.Everything())
	if err != nil {
		return nil, nil, err
	}
	pods, err := p.podsOf.List(labels.Everything())
	return nodes, pods, err
}

// deskLost is called in the middle of a message: it must not ask the desk.
func (p *Plugin) deskLost() {
	deskLostTotal.Inc()
	p.event(p.self(), v1.EventTypeWarning, "DecisionsLost", "Restarting",
		"the decisions failed inside and are opened again; until then the other plugins decide")
}

// chosen is what PreFilter passes on to the other steps of a scheduling cycle.
type chosen struct {
	hosts    []string
	ranks    map[string]int
	decision []byte
	asked    int
}

func (c *chosen) Clone() fwk.StateData { return c }

const stateKey fwk.StateKey = Name

func chosenOf(state fwk.CycleState) *chosen {
	data, err := state.Read(stateKey)
	if err != nil {
		return nil
	}
	found, _ := data.(*chosen)
	return found
}

// abstain leaves a pod to the other plugins.
func (p *Plugin) abstain(pod *v1.Pod, why error) {
	abstainedTotal.Inc()
	p.logger.Error(why, "the other plugins place a pod", "pod", klog.KObj(pod))
}

// PreFilter decides.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	state.Delete(stateKey)
	if isOfDaemonSet(pod) {
		// There is one node for it, even if that is drained.
		return nil, nil
	}
	if err := p.waitForSync(ctx); err != nil {
		p.abstain(pod, err)
		return nil, nil
	}
	record, err := recordOfPod(pod)
	if err != nil {
		refusalsTotal.Inc()
		p.refusals.note(pod, err.Error(), nil, p.fleet.now())
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, err.Error())
	}
	except, asked := p.refused.leaveOut(pod.UID, p.fleet.now())
	began := time.Now()
	answer, err := p.fleet.decide(pod, record, except, asked)
	decisionSeconds.Observe(time.Since(began).Seconds())
	var refusal decisions.Refusal
	switch {
	case errors.As(err, &refusal):
		answer = decided{Refused: (*string)(&refusal)}
	case err != nil:
		p.abstain(pod, err)
		return nil, nil
	}
	if len(answer.Hosts) == 0 {
		why := "no node takes it"
		if answer.Refused != nil {
			why = *answer.Refused
		}
		if len(except) > 0 {
			why += "; other plugins refused those that would"
			// The next attempt begins with all nodes.
			p.refused.clear(pod.UID)
		}
		refusalsTotal.Inc()
		p.refusals.note(pod, why, answer.Decision, p.fleet.now())
		return nil, fwk.NewStatus(fwk.Unschedulable, why)
	}
	found := &chosen{ranks: make(map[string]int, len(answer.Hosts)), decision: answer.Decision, asked: asked}
	for i, place := range answer.Hosts {
		found.hosts = append(found.hosts, place.Host)
		found.ranks[place.Host] = i
	}
	state.Write(stateKey, found)
	return &fwk.PreFilterResult{NodeNames: sets.New(found.hosts...)}, nil
}

func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// waitForSync waits until nodes and pods are known: decisions before would put all pods on the first few nodes. It waits only
// at the start, so that a missing permission does not stop the scheduler.
func (p *Plugin) waitForSync(ctx context.Context) error {
	if p.isSynced.Load() {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, p.syncBy)
	defer cancel()
	for !p.hasSynced() {
		select {
		case <-ctx.Done():
			return errors.New("nodes, pods and the policy are not known yet")
		case <-time.After(syncPoll):
		}
	}
	p.isSynced.Store(true)
	return nil
}

func (p *Plugin) hasSynced() bool {
	return !slices.ContainsFunc(p.synced, func(has cache.InformerSynced) bool { return !has() })
}

// PostFilter has the next nodes tried if others refused the best ones. Until none is left, no pod is evicted for this one.
func (p *Plugin) PostFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	found := chosenOf(state)
	if found == nil {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	p.refused.add(pod.UID, found.hosts, found.asked, p.fleet.now())
	again := map[string]*v1.Pod{jobName(pod.Namespace, pod.Name): pod}
	p.handle.Activate(p.logger, again)
	time.AfterFunc(activatePause, func() { p.handle.Activate(p.logger, again) })
	return nil, fwk.NewStatus(fwk.Success)
}

// PreScore skips scores where there is no decision.
func (p *Plugin) PreScore(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	if chosenOf(state) == nil {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// Score is by the order of the decision.
func (p *Plugin) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	found := chosenOf(state)
	if found == nil {
		return 0, nil
	}
	rank, is := found.ranks[node.Node().Name]
	if !is {
		return 0, nil
	}
	count := int64(len(found.hosts))
	return fwk.MaxScore * (count - int64(rank)) / count, nil
}

func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }

// Reserve makes a pod count at once. Otherwise all decisions up to the next event would name the same node.
func (p *Plugin) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	if err := p.fleet.reserve(pod, node); err != nil {
		p.logger.Error(err, "a pod does not count where it will be", "pod", klog.KObj(pod), "node", node)
	}
	p.refusals.remove(pod)
	p.refused.clear(pod.UID)
	return nil
}

func (p *Plugin) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	if err := p.fleet.unreserve(pod.UID); err != nil {
		p.logger.Error(err, "a pod that will not come still counts", "pod", klog.KObj(pod))
	}
}

// EventsToRegister names what may make room. The hints bring the fleet up to date first: their event can be earlier than
// the plugin's own, and the pod would be refused again for what is gone.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	node := fwk.Add | fwk.UpdateNodeAllocatable | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint | fwk.UpdateNodeAnnotation
	pod := fwk.UpdatePodLabel | fwk.UpdatePodScaleDown | fwk.UpdatePodToleration
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: node}, QueueingHintFn: p.nodeMayHelp},
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}, QueueingHintFn: p.endMayHelp},
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: pod}, QueueingHintFn: p.updateMayHelp},
	}, nil
}

func (p *Plugin) nodeMayHelp(_ klog.Logger, _ *v1.Pod, _, now any) (fwk.QueueingHint, error) {
	if node, is := now.(*v1.Node); is {
		// The event may be older than what was reported since.
		complaints, err := p.fleet.refreshNode(func() (*v1.Node, error) { return p.nodes.Get(node.Name) })
		p.report(node, complaints, err)
	}
	return fwk.Queue, nil
}

// endMayHelp is also called for failed bindings, whose pods are still there.
func (p *Plugin) endMayHelp(_ klog.Logger, _ *v1.Pod, before, _ any) (fwk.QueueingHint, error) {
	gone, is := before.(*v1.Pod)
	if !is {
		return fwk.Queue, nil
	}
	if gone.Spec.NodeName == "" {
		return fwk.QueueSkip, nil
	}
	p.refreshPod(gone)
	return fwk.Queue, nil
}

func (p *Plugin) updateMayHelp(_ klog.Logger, pod *v1.Pod, _, now any) (fwk.QueueingHint, error) {
	updated, is := now.(*v1.Pod)
	if !is || updated.UID == pod.UID {
		return fwk.Queue, nil
	}
	if updated.Spec.NodeName == "" {
		return fwk.QueueSkip, nil
	}
	p.refreshPod(updated)
	return fwk.Queue, nil
}

func (p *Plugin) refreshPod(pod *v1.Pod) {
	get := func() (*v1.Pod, error) { return p.podsOf.Pods(pod.Namespace).Get(pod.Name) }
	p.note(p.fleet.refreshPod(pod.UID, get), "pod", klog.KObj(pod))
}
