package node

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/adaptation"
	"github.com/containerd/nri/pkg/api"
)

// waitMax is how long a test waits for something that normally takes a second.
const waitMax = 30 * time.Second

// A nriRuntime is the runtime's half of NRI, as containerd has it, with one lock around all calls as containerd has.
type nriRuntime struct {
	t          *testing.T
	mutex      sync.Mutex
	runtime    *fakeRuntime
	nri        *adaptation.Adaptation
	registered chan struct{}
	// updates counts those that no call asked for.
	updates int
}

func startNRI(t *testing.T, runtime *fakeRuntime, socket string) *nriRuntime {
	t.Helper()
	made := &nriRuntime{t: t, runtime: runtime, registered: make(chan struct{}, 8)}
	nri, err := adaptation.New("containerd", "v2.2.1", made.synchronize, made.update, adaptation.WithSocketPath(socket),
		adaptation.WithPluginPath(t.TempDir()), adaptation.WithPluginConfigPath(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if err := nri.Start(); err != nil {
		t.Fatal(err)
	}
	made.nri = nri
	// A start synchronizes the plugins that the runtime starts itself: none.
	<-made.registered
	return made
}

func (n *nriRuntime) synchronize(ctx context.Context, plugin adaptation.SyncCB) error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	pods, containers := []*api.PodSandbox{}, []*api.Container{}
	for _, pod := range n.runtime.pods {
		pods = append(pods, pod)
	}
	for _, container := range n.runtime.containers {
		containers = append(containers, container)
	}
	updates, err := plugin(ctx, pods, containers)
	if err != nil {
		return err
	}
	n.runtime.apply(updates)
	n.registered <- struct{}{}
	return nil
}

func (n *nriRuntime) update(_ context.Context, updates []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.updates += len(updates)
	failed := []*api.ContainerUpdate{}
	for _, update := range updates {
		if n.runtime.containers[update.ContainerId] == nil {
			failed = append(failed, update)
			continue
		}
		n.runtime.apply([]*api.ContainerUpdate{update})
		// After each step, not only at the end.
		n.checkOwn()
	}
	return failed, nil
}

// checkOwn checks that no core has two owners, at any moment.
func (n *nriRuntime) checkOwn() {
	taken := map[int]string{}
	for id, container := range n.runtime.containers {
		if wanted, err := demandOf(n.runtime.pods[container.PodSandboxId], container); err != nil || wanted == nil {
			continue
		}
		cpus, err := ParseCPUs(container.Linux.Resources.Cpu.Cpus)
		if err != nil {
			n.t.Error(err)
		}
		for _, cpu := range cpus.Or(n.runtime.machine.Siblings(cpus)) {
			if other := taken[cpu]; other != "" {
				n.t.Errorf("CPU %d is of %s and of %s", cpu, id, other)
			}
			taken[cpu] = id
		}
	}
}

// create returns nil if there are too few cores.
func (n *nriRuntime) create(name string, annotations map[string]string, cpus int64) *api.Container {
	n.t.Helper()
	ctx := context.Background()
	// As containerd does: no plugin is registered in the middle of a creation.
	block := n.nri.BlockPluginSync()
	defer block.Unblock()
	container, pod := n.createLocked(name, annotations, cpus)
	if container == nil {
		return nil
	}
	if err := n.nri.PostCreateContainer(ctx, &api.PostCreateContainerRequest{Pod: pod, Container: container}); err != nil {
		n.t.Fatal(err)
	}
	container.State = api.ContainerState_CONTAINER_RUNNING
	return container
}

func (n *nriRuntime) createLocked(name string, annotations map[string]string, cpus int64) (*api.Container, *api.PodSandbox) {
	n.t.Helper()
	n.mutex.Lock()
	defer n.mutex.Unlock()
	pod := n.runtime.pod(podShape{name: name, annotations: annotations})
	n.runtime.clock++
	container := &api.Container{Id: name, PodSandboxId: pod.Id, Name: "main", CreatedAt: n.runtime.clock, State: api.ContainerState_CONTAINER_CREATED,
		Linux: &api.LinuxContainer{Resources: &api.LinuxResources{Cpu: &api.LinuxCPU{Quota: api.Int64(cpus * 100_000), Period: api.UInt64(uint64(100_000)),
			Shares: api.UInt64(uint64(cpus * sharesPerCPU))}}}}
	answer, err := n.nri.CreateContainer(context.Background(), &api.CreateContainerRequest{Pod: pod, Container: container})
	if err != nil && (strings.Contains(err.Error(), "usable cores") || strings.Contains(err.Error(), "shared CPUs would remain")) {
		return nil, nil
	}
	if err != nil {
		n.t.Fatal(err)
	}
	n.runtime.apply(answer.GetUpdate())
	container.Linux.Resources.Cpu.Cpus = answer.GetAdjust().GetLinux().GetResources().GetCpu().GetCpus()
	container.Linux.Resources.Cpu.Mems = answer.GetAdjust().GetLinux().GetResources().GetCpu().GetMems()
	n.runtime.containers[container.Id] = container
	n.checkOwn()
	return container, pod
}

func (n *nriRuntime) stop(container *api.Container) {
	n.t.Helper()
	block := n.nri.BlockPluginSync()
	defer block.Unblock()
	n.mutex.Lock()
	defer n.mutex.Unlock()
	delete(n.runtime.containers, container.Id)
	answer, err := n.nri.StopContainer(context.Background(), &api.StopContainerRequest{Pod: n.runtime.pods[container.PodSandboxId], Container: container})
	if err != nil {
		n.t.Fatal(err)
	}
	n.runtime.apply(answer.GetUpdate())
}

func (n *nriRuntime) wait() {
	n.t.Helper()
	select {
	case <-n.registered:
	case <-time.After(waitMax):
		n.t.Fatal("the plugin did not register")
	}
}

func connect(t *testing.T, connection *Connection) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { connection.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

func newConnection(t *testing.T, shape madeUp) (*fakeRuntime, *Connection) {
	t.Helper()
	runtime := newRuntime(t, shape, "0")
	return runtime, &Connection{Plugin: runtime.plugin, Socket: filepath.Join(t.TempDir(), "nri.sock"), Name: "tautochrone", Index: "90",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

// The runtime restarts: the plugin registers again, and each container keeps what it has (containerd#8523).
func TestTheRuntimeRestarts(t *testing.T) {
	runtime, connection := newConnection(t, small)
	first := startNRI(t, runtime, connection.Socket)
	connect(t, connection)
	first.wait()
	timed := first.create("timed", whole(), 2)
	web := first.create("web", nil, 1)
	before := timed.Linux.Resources.Cpu.Cpus
	first.nri.Stop()
	second := startNRI(t, runtime, connection.Socket)
	second.wait()
	if timed.Linux.Resources.Cpu.Cpus != before {
		t.Errorf("CPUs were %s, are %s", before, timed.Linux.Resources.Cpu.Cpus)
	}
	next := second.create("next", whole(), 2)
	runtime.check()
	// The socket is a new one, and the old connection stays open without a call.
	if err := os.Remove(connection.Socket); err != nil {
		t.Fatal(err)
	}
	third := startNRI(t, runtime, connection.Socket)
	third.wait()
	third.stop(next)
	third.stop(web)
	runtime.check()
	third.nri.Stop()
	second.nri.Stop()
}

// Containers start and stop while others are moved: neither side waits for the other for ever.
func TestMovesWhileContainersStart(t *testing.T) {
	runtime, connection := newConnection(t, madeUp{packages: 1, nodesPerPackage: 4, l3PerNode: 1, coresPerL3: 4, threads: 2})
	connection.CompactEvery, connection.CompactMoves = time.Millisecond, 4
	nri := startNRI(t, runtime, connection.Socket)
	connect(t, connection)
	nri.wait()
	running := []*api.Container{}
	for at := range 500 {
		if len(running) >= 10 {
			gone := at * 7 % len(running)
			nri.stop(running[gone])
			running = append(running[:gone], running[gone+1:]...)
		}
		annotations := whole(annotationMayMove, "true")
		if at%4 == 0 {
			annotations = nil
		}
		if container := nri.create(fmt.Sprint("c", at), annotations, int64(1+at%3)); container != nil {
			running = append(running, container)
		}
	}
	// What the last moves left to be sent arrives.
	deadline := time.Now().Add(waitMax)
	for !nri.isSettled() {
		if time.Now().After(deadline) {
			t.Fatal("the containers never had what the plugin wants")
		}
		time.Sleep(time.Millisecond)
	}
	nri.mutex.Lock()
	if nri.updates == 0 {
		t.Error("nothing was moved")
	}
	runtime.plugin.mutex.Lock()
	runtime.check()
	runtime.plugin.mutex.Unlock()
	nri.mutex.Unlock()
	nri.nri.Stop()
}

func (n *nriRuntime) isSettled() bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.runtime.plugin.mutex.Lock()
	defer n.runtime.plugin.mutex.Unlock()
	if n.runtime.plugin.leaving != nil {
		return false
	}
	for id, container := range n.runtime.plugin.containers {
		wanted := n.runtime.plugin.shared
		if container.held != nil {
			wanted = container.held.cpus
		}
		if n.runtime.containers[id].Linux.Resources.Cpu.Cpus != wanted.String() {
			return false
		}
	}
	return true
}

// The runtime cannot list its containers, since one of them is too large for a message: this is said.
func TestContainersThatCannotBeListed(t *testing.T) {
	runtime, connection := newConnection(t, small)
	warned := make(chan string, 8)
	connection.WarnNode = func(reason, message string) { warned <- reason + ": " + message }
	pod := runtime.pod(podShape{name: "fat"})
	for at := range 2 {
		name := fmt.Sprint("fat", at)
		runtime.containers[name] = &api.Container{Id: name, PodSandboxId: pod.Id, Name: "main", Env: []string{"A=" + strings.Repeat("x", 3<<20)},
			Linux: &api.LinuxContainer{Resources: &api.LinuxResources{Cpu: &api.LinuxCPU{}}}}
	}
	nri := startNRI(t, runtime, connection.Socket)
	defer nri.nri.Stop()
	connect(t, connection)
	select {
	case text := <-warned:
		if !strings.HasPrefix(text, "NotSynchronized: the runtime has not listed its containers in 3 attempts or more, ") {
			t.Errorf("warned %s", text)
		}
	case <-time.After(waitMax):
		t.Fatal("nothing was said")
	}
	if table, _ := runtime.plugin.Table(); !strings.Contains(table.Problem, "not listed its containers") {
		t.Errorf("problem '%s'", table.Problem)
	}
	// Once they are gone, all is well again.
	nri.mutex.Lock()
	clear(runtime.containers)
	nri.mutex.Unlock()
	nri.wait()
	if table, _ := runtime.plugin.Table(); table.Problem != "" {
		t.Errorf("problem '%s'", table.Problem)
	}
}
