package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// Settings of a plugin.
type Settings struct {
	// Reserved are CPUs that are never leased, at least one.
	Reserved CPUs
	// MovesMax limits how many containers with may-move change their cores for a new one.
	MovesMax uint32
	// RealTime allows the annotation real-time.
	RealTime bool
	// Root is the folder that has /proc and /sys.
	Root string
	// KubeletRoot is the kubelet's folder, usually /var/lib/kubelet.
	KubeletRoot string
}

// Sources are what the plugin asks; tests bring their own.
type Sources struct {
	OpenDesk func() (Desk, error)
	Machine  func() (Machine, error)
	// Warn reports on a pod what its owner should know. It must not block.
	Warn func(pod Pod, reason, message string)
	Log  *slog.Logger
}

// A Plugin answers the runtime's calls. Its handlers never call the runtime: it waits for them, and both would wait for ever.
type Plugin struct {
	settings Settings
	sources  Sources

	mutex      sync.Mutex
	desk       Desk
	machine    Machine
	containers map[string]*container
	shared     CPUs
	// leaving are cores that containers are being moved away from, and which nothing else may use until they are.
	leaving CPUs
	// answers counts changes, so that the agent knows when to ask again.
	answers    uint64
	dues       uint64
	runtimeNRI string
	// problem is why the runtime does not list its containers; empty while it does.
	problem string
	// wake has a message when something has to be sent outside of an answer.
	wake chan struct{}
	// synchronized has a message after the runtime has listed its containers.
	synchronized chan struct{}
	timings      *timings
}

// leavingID is a lease's name that no container has: theirs are long numbers.
const leavingID = "leaving"

// NewPlugin makes a plugin that knows no container yet.
func NewPlugin(settings Settings, sources Sources) (*Plugin, error) {
	if len(settings.Reserved) == 0 {
		return nil, fmt.Errorf("--reserved has no CPU; expected at least one, as in --reserved 0-1: " +
			"containers without cores of their own run there when all others are leased")
	}
	plugin := &Plugin{
		settings: settings, sources: sources, containers: map[string]*container{},
		wake: make(chan struct{}, 1), synchronized: make(chan struct{}, 1), timings: &timings{},
	}
	return plugin, plugin.start()
}

// start opens the desk and names the machine; leases are recorded afterwards.
func (p *Plugin) start() error {
	machine, err := p.sources.Machine()
	if err != nil {
		return err
	}
	if p.desk == nil {
		if p.desk, err = p.sources.OpenDesk(); err != nil {
			return err
		}
	}
	reserved := p.settings.Reserved.And(machine.Online)
	if gone := p.settings.Reserved.Minus(machine.Online); len(gone) > 0 {
		p.sources.Log.Error("reserved CPUs are not online; the others are reserved", "gone", gone.String(), "reserved", reserved.String())
	}
	message := machineMessage{HwlocXML: machine.XML, Reserved: reserved.String()}
	err = p.desk.Call("machine", message, nil)
	if isLost(err) {
		if err = p.openAgain(); err == nil {
			err = p.desk.Call("machine", message, nil)
		}
	}
	if err != nil {
		return fmt.Errorf("the allocator does not accept the machine: %w", err)
	}
	p.machine = machine
	return p.refresh()
}

func (p *Plugin) openAgain() error {
	p.desk.Close()
	desk, err := p.sources.OpenDesk()
	if err != nil {
		return err
	}
	p.desk = desk
	return nil
}

// ask calls the desk. If it forgot everything, another desk learns what the plugin knows, and is asked again.
func (p *Plugin) ask(name string, fields, answer any) error {
	err := p.desk.Call(name, fields, answer)
	if !isLost(err) {
		return err
	}
	p.sources.Log.Error("the allocator failed inside; its leases are entered again", "message", name)
	if err := p.openAgain(); err != nil {
		return err
	}
	reserved := p.settings.Reserved.And(p.machine.Online)
	if err := p.desk.Call("machine", machineMessage{HwlocXML: p.machine.XML, Reserved: reserved.String()}, nil); err != nil {
		return err
	}
	for _, container := range p.sorted() {
		if container.held == nil {
			continue
		}
		if err := p.desk.Call("record", container.record(), nil); err != nil {
			p.sources.Log.Error("a lease could not be entered again", append(container.describe(), "error", err)...)
		}
	}
	if len(p.leaving) > 0 {
		if err := p.desk.Call("record", recordMessage{ID: leavingID, CPUs: p.leaving.String(), Within: "machine"}, nil); err != nil {
			p.sources.Log.Error("cores that containers leave could not be entered again", "error", err)
		}
	}
	return p.desk.Call(name, fields, answer)
}

// refresh reads the shared set.
func (p *Plugin) refresh() error {
	_, err := p.state()
	return err
}

func (p *Plugin) state() (stateAnswer, error) {
	var state stateAnswer
	if err := p.ask("state", struct{}{}, &state); err != nil {
		return state, err
	}
	shared, err := ParseCPUs(state.Shared)
	if err != nil {
		return state, err
	}
	p.shared = shared
	return state, nil
}

// Configure notes the runtime.
func (p *Plugin) Configure(_ context.Context, _, runtime, version string) (api.EventMask, error) {
	p.sources.Log.Info("the runtime has accepted the plugin", "runtime", runtime, "version", version)
	return 0, nil
}

// CreateContainer gives a container its cores, or the shared set.
func (p *Plugin) CreateContainer(_ context.Context, pod *api.PodSandbox, created *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	defer p.timings.measure(time.Now())
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.answers++
	container := newContainer(pod, created)
	if container.created == 0 {
		container.created = time.Now().UnixNano()
	}
	wanted, err := demandOf(pod, created)
	if err == nil && wanted != nil && wanted.realTime > 0 {
		err = p.mayBeRealTime()
	}
	if err == nil && wanted != nil {
		err = tooMuchText(pod, created)
	}
	if err != nil {
		return nil, nil, p.refuse(container, err)
	}
	if known := p.containers[container.id]; known != nil {
		// The runtime repeats itself; the answer is the same.
		return p.adjustment(known, created), nil, nil
	}
	container.demand = wanted
	if wanted == nil {
		p.noteForeign(container, created)
		p.containers[container.id] = container
		return p.adjustment(container, created), p.sharedUpdates(), nil
	}
	if err := p.fitsPod(container); err != nil {
		return nil, nil, p.refuse(container, err)
	}
	movesMax := p.settings.MovesMax
	if !p.mayMove() {
		movesMax = 0
	}
	moves, err := p.grant(container, movesMax)
	if err != nil && len(p.leaving) > 0 {
		err = fmt.Errorf("%w; CPUs %s are free in a moment, once other containers have moved: it is tried again", err, p.leaving)
	}
	if err != nil {
		return nil, nil, p.refuse(container, err)
	}
	before := map[string]*held{}
	p.containers[container.id] = container
	for _, move := range moves {
		if of := p.containers[move.ID]; of != nil {
			before[move.ID] = of.held
		}
	}
	moved := p.applyMoves(moves)
	if err := p.leavesEnough(container); err != nil {
		p.takeBack(container, before)
		return nil, nil, p.refuse(container, err)
	}
	// The shared set leaves the cores first, then others move in.
	updates := p.sharedUpdates()
	for _, other := range moved {
		updates = append(updates, p.answerWith(other))
	}
	return p.adjustment(container, created), updates, nil
}

// mayMove reports whether containers may be moved now: not while others are on their way, and not while one is being created,
// since updates do not reach it yet and its cores would be given away too early.
func (p *Plugin) mayMove() bool {
	if len(p.leaving) > 0 {
		return false
	}
	for _, container := range p.containers {
		if container.held != nil && !container.atRuntime {
			return false
		}
	}
	return true
}

// refuse fails a container's creation with a sentence that its owner can act on.
func (p *Plugin) refuse(container *container, err error) error {
	p.sources.Log.Warn("a container gets no cores", append(container.describe(), "why", inFull(err))...)
	p.sources.Warn(container.pod, "NoWholeCores", err.Error())
	return err
}

// grant asks for cores.
func (p *Plugin) grant(container *container, movesMax uint32) ([]step, error) {
	var granted grantAnswer
	if err := p.ask("grant", container.wish(movesMax), &granted); err != nil {
		if isRefusal(err) {
			return nil, fmt.Errorf("container '%s' asks for %d whole cores: %w", container.name, container.demand.cpus, p.withoutOthers(container, err))
		}
		return nil, err
	}
	held, err := heldFrom(granted.CPUs, granted.Idle, granted.MemoryNodes)
	if err != nil {
		return nil, err
	}
	container.held, container.way, container.problem = held, wayNRI, ""
	p.sources.Log.Info("a container gets whole cores", append(container.describe(), "cpus", granted.CPUs, "idle", granted.Idle,
		"memory_nodes", granted.MemoryNodes.String(), "moves", len(granted.Moves), "why", granted.Reasons)...)
	return granted.Moves, nil
}

func heldFrom(cpus, idle string, memoryNodes CPUs) (*held, error) {
	own, err := ParseCPUs(cpus)
	if err != nil {
		return nil, err
	}
	siblings, err := ParseCPUs(idle)
	if err != nil {
		return nil, err
	}
	return &held{cpus: own, idle: siblings, memoryNodes: memoryNodes}, nil
}

// applyMoves enters the allocator's moves, and returns the containers in their order. One that moves twice is sent once, at its
// last move: the runtime takes one update of a container in an answer. Until the answer is carried out, containers that may
// move can then share a core.
func (p *Plugin) applyMoves(moves []step) []*container {
	moved := []*container{}
	for _, move := range moves {
		of := p.containers[move.ID]
		to, err := ParseCPUs(move.To)
		if of == nil || err != nil {
			p.sources.Log.Error("the allocator moves a container that is not known", "id", move.ID, "to", move.To, "error", err)
			continue
		}
		p.sources.Log.Info("a container moves", append(of.describe(), "from", of.held.cpus.String(), "to", move.To, "price_points", move.Price)...)
		of.held = &held{cpus: to, idle: p.machine.Siblings(to), memoryNodes: move.MemoryNodes}
		moved = append(slices.DeleteFunc(moved, func(earlier *container) bool { return earlier == of }), of)
	}
	return moved
}

// adjustment sets the CPUs of a container that is being created. The quota stays: it is the same number of CPUs.
func (p *Plugin) adjustment(container *container, created *api.Container) *api.ContainerAdjustment {
	adjustment := &api.ContainerAdjustment{}
	switch {
	case container.isForeign():
	case container.held != nil:
		adjustment.SetLinuxCPUSetCPUs(container.held.cpus.String())
		adjustment.SetLinuxCPUSetMems(container.held.memoryNodes.String())
		container.sent = container.held.cpus
		if container.demand.realTime > 0 {
			adjustment.SetLinuxScheduler(&api.LinuxScheduler{Policy: api.LinuxSchedulerPolicy_SCHED_FIFO, Priority: container.demand.realTime})
		}
	default:
		adjustment.SetLinuxCPUSetCPUs(p.shared.String())
		container.sent = p.shared
	}
	return adjustment
}

// sharedUpdates are the updates, in an answer, of containers whose shared set has changed.
func (p *Plugin) sharedUpdates() []*api.ContainerUpdate {
	updates := []*api.ContainerUpdate{}
	for _, container := range p.sorted() {
		if container.way == wayShared && !container.sent.Equal(p.shared) {
			updates = append(updates, p.answerWith(container))
		}
	}
	return updates
}

// answerWith updates a container in an answer. One that the runtime is still creating has to be sent once more.
func (p *Plugin) answerWith(container *container) *api.ContainerUpdate {
	if !container.atRuntime {
		p.makeDue(container)
	}
	return p.updateOf(container)
}

func (p *Plugin) updateOf(container *container) *api.ContainerUpdate {
	if container.held != nil {
		return container.update(p.wanted(container), container.held.memoryNodes)
	}
	// Some memory nodes may remain of a time when it had cores of its own.
	if container.demand != nil {
		return container.update(p.shared, p.machine.MemoryNodes())
	}
	return container.update(p.shared, nil)
}

// PostCreateContainer notes that updates reach the container from now on.
func (p *Plugin) PostCreateContainer(_ context.Context, _ *api.PodSandbox, created *api.Container) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if container := p.containers[created.GetId()]; container != nil {
		container.atRuntime = true
		if container.due > 0 {
			p.wakeUp()
		}
	}
	return nil
}

// UpdateContainer keeps the cores of a container whose resources are changed from outside.
func (p *Plugin) UpdateContainer(_ context.Context, _ *api.PodSandbox, updated *api.Container, resources *api.LinuxResources) ([]*api.ContainerUpdate, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.answers++
	container := p.containers[updated.GetId()]
	if container == nil || container.isForeign() {
		return nil, nil
	}
	if container.held != nil && container.way == wayNRI {
		cpu := resources.GetCpu()
		if shares := cpu.GetShares(); shares != nil && shares.GetValue() < sharesFor(container.demand.cpus) {
			err := fmt.Errorf("container '%s' has %d whole cores, and its request would be %g CPUs; expected the same number: "+
				"create the pod again to change how many cores it has", container.name, container.demand.cpus, inCPUs(shares.GetValue()))
			p.sources.Warn(container.pod, "CoresStay", err.Error())
			return nil, err
		}
		quota, period := cpu.GetQuota().GetValue(), int64(cpu.GetPeriod().GetValue())
		if cpu.GetQuota() != nil && period > 0 && quota != int64(container.demand.cpus)*period {
			err := fmt.Errorf("container '%s' has %d whole cores, and its limit would be %g CPUs; expected the same number: "+
				"create the pod again to change how many cores it has", container.name, container.demand.cpus, float64(quota)/float64(period))
			p.sources.Warn(container.pod, "CoresStay", err.Error())
			return nil, err
		}
	}
	if shares := resources.GetCpu().GetShares(); shares != nil && container.requested > 0 {
		container.requested = shares.GetValue()
	}
	if asked := resources.GetCpu().GetCpus(); asked == "" && container.held == nil {
		return nil, nil
	}
	return []*api.ContainerUpdate{p.updateOf(container)}, nil
}

// StopContainer takes a container's cores back, once.
func (p *Plugin) StopContainer(_ context.Context, _ *api.PodSandbox, stopped *api.Container) ([]*api.ContainerUpdate, error) {
	defer p.timings.measure(time.Now())
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.answers++
	if err := p.release(stopped.GetId()); err != nil {
		return nil, err
	}
	return p.sharedUpdates(), nil
}

// RemoveContainer takes the cores back of a container whose end was missed. It cannot answer with updates.
func (p *Plugin) RemoveContainer(_ context.Context, _ *api.PodSandbox, removed *api.Container) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.containers[removed.GetId()] == nil {
		return nil
	}
	p.answers++
	if err := p.release(removed.GetId()); err != nil {
		return err
	}
	p.sharedDue()
	return nil
}

// StopPodSandbox takes all cores of a pod back: the ends of its containers may have been missed.
func (p *Plugin) StopPodSandbox(_ context.Context, pod *api.PodSandbox) error {
	return p.endPod(pod.GetId())
}

// RemovePodSandbox is the last that is heard of a pod.
func (p *Plugin) RemovePodSandbox(_ context.Context, pod *api.PodSandbox) error {
	return p.endPod(pod.GetId())
}

func (p *Plugin) endPod(sandbox string) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	errs := []error{}
	for _, container := range p.sorted() {
		if container.sandbox == sandbox && sandbox != "" {
			p.answers++
			errs = append(errs, p.release(container.id))
		}
	}
	if len(errs) > 0 {
		p.sharedDue()
	}
	return errors.Join(errs...)
}

func (p *Plugin) release(id string) error {
	container := p.containers[id]
	if container == nil {
		return nil
	}
	delete(p.containers, id)
	if container.held == nil {
		return nil
	}
	if err := p.ask("release", nameMessage{ID: container.lease()}, nil); err != nil {
		return err
	}
	p.sources.Log.Info("a container gives its cores back", append(container.describe(), "cpus", container.held.cpus.String())...)
	return p.refresh()
}
