package node

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"

	"github.com/containerd/nri/pkg/api"
)

// A fakeRuntime keeps containers as containerd does, and carries out what the plugin answers.
type fakeRuntime struct {
	t          *testing.T
	plugin     *Plugin
	machine    Machine
	settings   Settings
	pods       map[string]*api.PodSandbox
	containers map[string]*api.Container
	clock      int64
	warnings   []string
	// inHandler is true while the plugin answers.
	inHandler bool
	// openDesk may be replaced to lose a desk.
	openDesk func() (Desk, error)
	timings  *timings
}

func newRuntime(t *testing.T, shape madeUp, reserved string) *fakeRuntime {
	t.Helper()
	machine, err := MachineFromXML(shape.hwloc())
	if err != nil {
		t.Fatal(err)
	}
	kept, err := ParseCPUs(reserved)
	if err != nil {
		t.Fatal(err)
	}
	runtime := &fakeRuntime{
		t: t, machine: machine, settings: Settings{Reserved: kept, KubeletRoot: t.TempDir(), Root: t.TempDir()},
		pods: map[string]*api.PodSandbox{}, containers: map[string]*api.Container{}, openDesk: OpenDesk, timings: &timings{},
	}
	runtime.startPlugin()
	return runtime
}

// startPlugin starts a plugin that knows nothing, as after it was restarted.
func (r *fakeRuntime) startPlugin() {
	r.t.Helper()
	plugin, err := NewPlugin(r.settings, Sources{
		OpenDesk: func() (Desk, error) { return r.openDesk() },
		Machine:  func() (Machine, error) { return r.machine, nil },
		Warn: func(pod Pod, reason, message string) {
			r.warnings = append(r.warnings, fmt.Sprintf("%s/%s %s: %s", pod.Namespace, pod.Name, reason, message))
		},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	plugin.timings = r.timings
	r.plugin = plugin
	r.synchronize()
}

func (r *fakeRuntime) synchronize() {
	r.t.Helper()
	pods, containers := []*api.PodSandbox{}, []*api.Container{}
	for _, pod := range r.pods {
		pods = append(pods, pod)
	}
	for _, container := range r.containers {
		containers = append(containers, container)
	}
	updates, err := r.plugin.Synchronize(context.Background(), pods, containers)
	if err != nil {
		r.t.Fatal(err)
	}
	r.apply(updates)
}

type podShape struct {
	name        string
	annotations map[string]string
	parent      string
	// limit is the whole pod's, in thousandths; 0 for not known.
	limit int64
}

func (r *fakeRuntime) pod(shape podShape) *api.PodSandbox {
	if shape.parent == "" {
		shape.parent = "/kubepods/pod" + shape.name
	}
	pod := &api.PodSandbox{Id: "sandbox-" + shape.name, Name: shape.name, Namespace: "ns", Uid: "uid-" + shape.name,
		Annotations: shape.annotations, Linux: &api.LinuxPodSandbox{CgroupParent: shape.parent}}
	if shape.limit > 0 {
		pod.Linux.PodResources = &api.LinuxResources{Cpu: &api.LinuxCPU{Quota: api.Int64(shape.limit * 100), Period: api.UInt64(uint64(100_000))}}
	}
	r.pods[pod.Id] = pod
	return pod
}

// create creates a container with a CPU limit in thousandths, and returns the plugin's refusal.
func (r *fakeRuntime) create(pod *api.PodSandbox, name string, milli int64, change ...func(*api.Container)) (*api.Container, error) {
	r.clock++
	container := &api.Container{
		Id: fmt.Sprintf("c%d", r.clock), PodSandboxId: pod.Id, Name: name, CreatedAt: r.clock, State: api.ContainerState_CONTAINER_CREATED,
		Linux: &api.LinuxContainer{Resources: &api.LinuxResources{Cpu: &api.LinuxCPU{
			Quota: api.Int64(milli * 100), Period: api.UInt64(uint64(100_000)), Shares: api.UInt64(uint64(milli * sharesPerCPU / 1000)),
		}, Memory: &api.LinuxMemory{Limit: api.Int64(int64(1 << 30))}}},
	}
	if milli == 0 {
		container.Linux.Resources.Cpu = &api.LinuxCPU{}
	}
	for _, change := range change {
		change(container)
	}
	r.inHandler = true
	adjustment, updates, err := r.plugin.CreateContainer(context.Background(), pod, container)
	r.inHandler = false
	if err != nil {
		return nil, err
	}
	r.apply(updates)
	if cpu := adjustment.GetLinux().GetResources().GetCpu(); cpu != nil {
		r.set(container, cpu)
	}
	r.containers[container.Id] = container
	if err := r.plugin.PostCreateContainer(context.Background(), pod, container); err != nil {
		r.t.Fatal(err)
	}
	container.State = api.ContainerState_CONTAINER_RUNNING
	return container, nil
}

func (r *fakeRuntime) mustCreate(pod *api.PodSandbox, name string, milli int64, change ...func(*api.Container)) *api.Container {
	r.t.Helper()
	container, err := r.create(pod, name, milli, change...)
	if err != nil {
		r.t.Fatal(err)
	}
	return container
}

func (r *fakeRuntime) stop(container *api.Container) {
	r.t.Helper()
	delete(r.containers, container.Id)
	container.State = api.ContainerState_CONTAINER_STOPPED
	pod := r.pods[container.PodSandboxId]
	r.inHandler = true
	updates, err := r.plugin.StopContainer(context.Background(), pod, container)
	r.inHandler = false
	if err != nil {
		r.t.Fatal(err)
	}
	r.apply(updates)
	if err := r.plugin.RemoveContainer(context.Background(), pod, container); err != nil {
		r.t.Fatal(err)
	}
}

func (r *fakeRuntime) apply(updates []*api.ContainerUpdate) {
	r.t.Helper()
	seen := map[string]bool{}
	for _, update := range updates {
		if seen[update.ContainerId] {
			r.t.Errorf("container %s is updated twice in one answer; the runtime would merge both", update.ContainerId)
		}
		seen[update.ContainerId] = true
		container := r.containers[update.ContainerId]
		if container == nil {
			if !update.IgnoreFailure {
				r.t.Errorf("update of container %s, which does not exist", update.ContainerId)
			}
			continue
		}
		r.set(container, update.GetLinux().GetResources().GetCpu())
	}
}

// update is what the plugin calls outside of its handlers.
func (r *fakeRuntime) update(updates []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) {
	if r.inHandler {
		r.t.Error("a handler called the runtime, which waits for that handler")
	}
	r.apply(updates)
	return nil, nil
}

func (r *fakeRuntime) set(container *api.Container, cpu *api.LinuxCPU) {
	own := container.Linux.Resources.Cpu
	if cpu.GetCpus() != "" {
		own.Cpus = cpu.Cpus
	}
	if cpu.GetMems() != "" {
		own.Mems = cpu.Mems
	}
	if cpu.GetQuota() != nil || cpu.GetPeriod() != nil {
		r.t.Errorf("the quota of %s changed", container.Id)
	}
}

func cpusOf(t *testing.T, container *api.Container) CPUs {
	t.Helper()
	cpus, err := ParseCPUs(container.Linux.Resources.Cpu.Cpus)
	if err != nil {
		t.Fatal(err)
	}
	return cpus
}

// check checks that no core has two owners, that siblings are idle, and that the shared set is all the rest.
func (r *fakeRuntime) check() {
	r.t.Helper()
	taken := CPUs{}
	shared := []*api.Container{}
	for _, container := range r.sorted() {
		pod := r.pods[container.PodSandboxId]
		wanted, err := demandOf(pod, container)
		known := r.plugin.containers[container.Id]
		if err != nil || wanted == nil || known == nil || known.held == nil {
			shared = append(shared, container)
			continue
		}
		cpus := cpusOf(r.t, container)
		if len(cpus) != int(wanted.cpus) {
			r.t.Fatalf("%s has CPUs %s, expected %d", container.Id, cpus, wanted.cpus)
		}
		if container.Linux.Resources.Cpu.Mems == "" {
			r.t.Fatalf("%s has no memory nodes", container.Id)
		}
		whole := cpus.Or(r.machine.Siblings(cpus))
		if both := whole.And(taken); len(both) > 0 {
			r.t.Fatalf("CPUs %s of %s have another owner", both, container.Id)
		}
		if kept := whole.And(r.settings.Reserved); len(kept) > 0 {
			r.t.Fatalf("reserved CPUs %s are leased to %s", kept, container.Id)
		}
		taken = append(taken, whole...)
		slices.Sort(taken)
	}
	expected := r.machine.Online.Minus(taken)
	if len(expected) == 0 || len(r.settings.Reserved.And(r.machine.Online).Minus(expected)) > 0 {
		r.t.Fatalf("the shared set %s lacks reserved CPUs", expected)
	}
	for _, container := range shared {
		if cpus := cpusOf(r.t, container); !cpus.Equal(expected) {
			r.t.Fatalf("%s has shared CPUs %s, expected %s", container.Id, cpus, expected)
		}
	}
}

func (r *fakeRuntime) sorted() []*api.Container {
	all := []*api.Container{}
	for _, container := range r.containers {
		all = append(all, container)
	}
	slices.SortFunc(all, func(a, b *api.Container) int { return int(a.CreatedAt - b.CreatedAt) })
	return all
}

func whole(more ...string) map[string]string {
	annotations := map[string]string{annotationCores: "whole"}
	for at := 0; at+1 < len(more); at += 2 {
		annotations[more[at]] = more[at+1]
	}
	return annotations
}
