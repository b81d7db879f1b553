package node

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/containerd/nri/pkg/api"

	"tautochrone.dev/fleet/decisions"
)

var small = madeUp{packages: 1, nodesPerPackage: 2, l3PerNode: 1, coresPerL3: 4, threads: 2}

func TestAThousandStartsAndStops(t *testing.T) {
	for _, shape := range []madeUp{large, {packages: 2, nodesPerPackage: 2, l3PerNode: 2, coresPerL3: 4, threads: 2, from: 1500}} {
		t.Run(fmt.Sprintf("%d CPUs from %d", shape.packages*shape.nodesPerPackage*shape.l3PerNode*shape.coresPerL3*shape.threads, shape.from), func(t *testing.T) {
			const seed = 20261130
			random := rand.New(rand.NewPCG(seed, 1))
			runtime := newRuntime(t, shape, CPUs{shape.from, shape.from + 1}.String())
			runtime.plugin.settings.MovesMax = 4
			running := []*api.Container{}
			refused := 0
			for at := range 1000 {
				switch choice := random.IntN(20); {
				case choice < 7 && len(running) > 0:
					gone := random.IntN(len(running))
					runtime.stop(running[gone])
					running = append(running[:gone], running[gone+1:]...)
				case choice == 19 && at%4 == 0:
					runtime.startPlugin()
				default:
					shape := podShape{name: fmt.Sprint("p", at)}
					milli := int64(random.IntN(8) * 250)
					if choice < 15 {
						shape.annotations = whole(annotationWithin, withinWords[random.IntN(len(withinWords))],
							annotationSiblings, siblingsWords[random.IntN(2)], annotationMayMove, []string{"true", "false"}[random.IntN(2)])
						milli = int64(1+random.IntN(6)) * 1000
					}
					container, err := runtime.create(runtime.pod(shape), "main", milli)
					if err != nil {
						refused++
						break
					}
					running = append(running, container)
				}
				if err := runtime.plugin.settle(runtime.update); err != nil {
					t.Fatal(err)
				}
				runtime.check()
				if t.Failed() {
					t.Fatalf("seed %d, step %d", seed, at)
				}
			}
			count, median, most := runtime.plugin.timings.quantiles()
			t.Logf("seed %d: %d containers at the end, %d refused; the last %d decisions: median %s, p99 %s", seed, len(running), refused, count, median, most)
		})
	}
}

func TestSharedContainersFollowTheLeases(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
	if web.Linux.Resources.Cpu.Cpus != "0-15" {
		t.Errorf("shared set %s", web.Linux.Resources.Cpu.Cpus)
	}
	timed := runtime.mustCreate(runtime.pod(podShape{name: "timed", annotations: whole(annotationWithin, "numa_node")}), "main", 2000)
	if timed.Linux.Resources.Cpu.Cpus != "2-3" || timed.Linux.Resources.Cpu.Mems != "0" {
		t.Errorf("cores %+v", timed.Linux.Resources.Cpu)
	}
	if web.Linux.Resources.Cpu.Cpus != "0-1,4-9,12-15" {
		t.Errorf("shared set %s", web.Linux.Resources.Cpu.Cpus)
	}
	runtime.stop(timed)
	runtime.check()
	runtime.stop(web)
}

func shares(count uint64) func(*api.Container) {
	return func(c *api.Container) { c.Linux.Resources.Cpu.Shares = api.UInt64(count) }
}

func TestRefusalsSayHowToFix(t *testing.T) {
	for _, test := range []struct {
		name        string
		annotations map[string]string
		parent      string
		milli       int64
		expected    string
		change      func(*api.Container)
	}{
		{"fraction", whole(), "", 1500, "its CPU limit is 1.5; expected a whole number of CPUs: set resources.requests.cpu", nil},
		{"no limit", whole(), "", 0, "has no CPU limit; expected a limit of a whole number of CPUs: set resources.limits.cpu", nil},
		{"burstable", whole(), "/kubepods/burstable/pod1", 1000, "its pod is Burstable; expected a Guaranteed pod: give each", nil},
		{"systemd", whole(), "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice", 1000, "its pod is BestEffort", nil},
		{"too many", whole(), "", 99_000, "asks for 99 whole cores: ", nil},
		{"unknown word", map[string]string{annotationCores: "all"}, "", 1000, "'all'; expected 'whole' or 'shared'", nil},
		{"contradiction", whole(annotationCores+".main", "shared"), "", 1000, "annotations contradict each other", nil},
		{"siblings", whole(annotationSiblings, "no"), "", 1000, "siblings is 'no'; expected one of idle, used", nil},
		{"within", whole(annotationWithin, "rack"), "", 1000, "within is 'rack'; expected one of l3_domain, numa_node", nil},
		{"may move", whole(annotationMayMove, "yes"), "", 1000, "may-move is 'yes'; expected one of true, false", nil},
		{"real-time off", whole(annotationRealTime, "50"), "", 1000, "is off on this node: remove it, or start tauto-node with --real-time", nil},
		{"real-time wrong", whole(annotationRealTime, "500"), "", 1000, "expected a priority from 1 to 50", nil},
		{"real-time too high", whole(annotationRealTime, "51"), "", 1000, "is '51'; expected a priority from 1 to 50", nil},
		{"a sidecar", whole(), "", 100, "its CPU limit is 0.1; expected a whole number of CPUs: set resources.requests.cpu and resources.limits.cpu to one, such as 1; " +
			"or use fleet.tautochrone.dev/cores.CONTAINER for the container that needs them", nil},
		{"long word", map[string]string{annotationCores: strings.Repeat("ü", 41)}, "", 1000, "is '" + strings.Repeat("ü", 40) + "...'; expected 'whole'", nil},
		{"long list", whole(annotationWithin, strings.Repeat("x", 250_000)), "", 1000, "is '" + strings.Repeat("x", 40) + "...'; expected one of", nil},
		{"long number", whole(annotationRealTime, strings.Repeat("9", 250_000)), "", 1000, "is '" + strings.Repeat("9", 40) + "...'; expected a priority", nil},
		{"not paid for", whole(), "", 1000, "asks for 1 whole cores, but requests 0.01 CPUs; expected a request that equals its limit: set", shares(10)},
		{"almost paid for", whole(), "", 2000, "asks for 2 whole cores, but requests 1.999 CPUs", shares(2047)},
		{"without shares", whole(), "", 1000, "requests 0 CPUs; expected a request", func(c *api.Container) { c.Linux.Resources.Cpu.Shares = nil }},
		{"much environment", whole(), "", 1000, "bytes; expected at most 262144: put what is large into a volume",
			func(c *api.Container) {
				c.Env = []string{"A=" + strings.Repeat("x", 200_000)}
				c.Args = []string{strings.Repeat("y", 70_000)}
			}},
		{"many annotations", whole("more", strings.Repeat("x", 150_000)), "", 1000, "annotations have 3",
			func(c *api.Container) { c.Annotations = map[string]string{"more": strings.Repeat("x", 150_000)} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			runtime := newRuntime(t, small, "0")
			pod := runtime.pod(podShape{name: "p", annotations: test.annotations, parent: test.parent})
			if test.change == nil {
				test.change = func(*api.Container) {}
			}
			_, err := runtime.create(pod, "main", test.milli, test.change)
			if err == nil || !strings.Contains(err.Error(), test.expected) {
				t.Fatalf("refused with %v, expected %s", err, test.expected)
			}
			if len(runtime.warnings) != 1 || !strings.Contains(runtime.warnings[0], "ns/p NoWholeCores: ") {
				t.Errorf("events %q", runtime.warnings)
			}
			if len(runtime.plugin.containers) != 0 {
				t.Errorf("%d containers are known", len(runtime.plugin.containers))
			}
			runtime.mustCreate(runtime.pod(podShape{name: "next", annotations: whole()}), "main", 1000)
			runtime.check()
		})
	}
}

func TestOneContainerOfAPod(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	pod := runtime.pod(podShape{name: "p", annotations: map[string]string{annotationCores + ".timed": "whole"}})
	timed := runtime.mustCreate(pod, "timed", 1000)
	other := runtime.mustCreate(pod, "other", 1000)
	if len(cpusOf(t, timed)) != 1 || len(cpusOf(t, other)) != 14 {
		t.Errorf("CPUs %s and %s", cpusOf(t, timed), cpusOf(t, other))
	}
	runtime.check()
}

// A container that restarts has another id: its cores are neither lost nor given twice (kubernetes#90377).
func TestAContainerRestarts(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	pod := runtime.pod(podShape{name: "p", annotations: whole()})
	container := runtime.mustCreate(pod, "main", 6000)
	for range 20 {
		runtime.stop(container)
		container = runtime.mustCreate(pod, "main", 6000)
		runtime.check()
	}
	// The new one may be created before the old one's end is reported.
	if _, err := runtime.create(pod, "main", 6000); err == nil {
		t.Error("cores were given twice")
	}
	// An end is reported twice.
	runtime.stop(container)
	runtime.stop(container)
	runtime.mustCreate(pod, "main", 6000)
	runtime.check()
}

func TestThePluginRestarts(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
	first := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
	used := runtime.mustCreate(runtime.pod(podShape{name: "b", annotations: whole(annotationSiblings, "used")}), "main", 2000)
	before := cpusOf(t, first).String() + " " + cpusOf(t, used).String()
	runtime.startPlugin()
	runtime.check()
	if after := cpusOf(t, first).String() + " " + cpusOf(t, used).String(); after != before {
		t.Errorf("CPUs were %s, are %s", before, after)
	}
	// As containerd does when it was restarted: the same plugin gets all containers again.
	runtime.synchronize()
	runtime.check()
	runtime.stop(first)
	runtime.check()
}

func TestContainersThatStartedWithoutThePlugin(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	away := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
	away.Linux.Resources.Cpu.Cpus, away.Linux.Resources.Cpu.Mems = "", ""
	web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
	web.Linux.Resources.Cpu.Cpus = ""
	wrong := runtime.mustCreate(runtime.pod(podShape{name: "c"}), "main", 1500)
	runtime.pods[wrong.PodSandboxId].Annotations = whole()
	runtime.startPlugin()
	runtime.check()
	if len(cpusOf(t, away)) != 2 {
		t.Errorf("CPUs %s", cpusOf(t, away))
	}
	if len(runtime.warnings) != 1 || !strings.Contains(runtime.warnings[0], "it runs on shared CPUs: ") {
		t.Errorf("events %q", runtime.warnings)
	}
}

func TestTwoContainersWithTheSameCore(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	first := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
	second := runtime.mustCreate(runtime.pod(podShape{name: "b", annotations: whole()}), "main", 2000)
	has := cpusOf(t, first)
	second.Linux.Resources.Cpu.Cpus = has.String()
	runtime.startPlugin()
	runtime.check()
	if !cpusOf(t, first).Equal(has) || len(cpusOf(t, second).And(has)) > 0 {
		t.Errorf("CPUs %s and %s", cpusOf(t, first), cpusOf(t, second))
	}
	if len(runtime.warnings) != 1 || !strings.Contains(runtime.warnings[0], "ns/b CoresContradict: ") {
		t.Errorf("events %q", runtime.warnings)
	}
}

func TestCPUsGoAway(t *testing.T) {
	runtime := newRuntime(t, small, "0-1")
	stays := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole(annotationWithin, "numa_node")}), "main", 2000)
	goes := runtime.mustCreate(runtime.pod(podShape{name: "b", annotations: whole(annotationWithin, "numa_node")}), "main", 2000)
	runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
	shape := small
	shape.offline = CPUs{1}.Or(cpusOf(t, goes)[:1])
	machine, err := MachineFromXML(shape.hwloc())
	if err != nil {
		t.Fatal(err)
	}
	runtime.machine = machine
	runtime.synchronize()
	runtime.check()
	if len(cpusOf(t, stays)) != 2 || len(cpusOf(t, goes)) < 4 {
		t.Errorf("CPUs %s and %s", cpusOf(t, stays), cpusOf(t, goes))
	}
	if len(runtime.warnings) != 1 || !strings.Contains(runtime.warnings[0], "ns/b CoresGone: ") {
		t.Errorf("events %q", runtime.warnings)
	}
	// Another set is reserved.
	runtime.settings.Reserved = CPUs{0}.Or(cpusOf(t, stays))
	runtime.startPlugin()
	runtime.check()
}

func TestNothingInsideAContainerCounts(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	timed := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
	forge := func(container *api.Container) {
		container.Env = []string{"DRA_CPUSET_1=" + timed.Linux.Resources.Cpu.Cpus, annotationCores + "=whole", "CPUSET=6-7"}
		container.Annotations = map[string]string{annotationCores: "whole"}
		container.Labels = map[string]string{annotationCores: "whole"}
		container.Args = []string{"--cpuset-cpus=6-7"}
	}
	device := func(container *api.Container) { container.CDIDevices = []*api.CDIDevice{{Name: draDevice + "claim"}} }
	runtime.mustCreate(runtime.pod(podShape{name: "c"}), "main", 2000, device)
	forged := runtime.mustCreate(runtime.pod(podShape{name: "b"}), "main", 2000, forge)
	if both := cpusOf(t, forged).And(cpusOf(t, timed)); len(both) > 0 {
		t.Errorf("a forged variable took CPUs %s", both)
	}
	runtime.check()
	runtime.startPlugin()
	runtime.stop(timed)
	runtime.check()
}

// lostDesk fails inside once.
type lostDesk struct {
	Desk
	at string
}

func (l *lostDesk) Call(name string, fields, answer any) error {
	if name == l.at {
		l.at = ""
		return decisions.ErrLost
	}
	return l.Desk.Call(name, fields, answer)
}

func TestADeskThatForgotEverything(t *testing.T) {
	for _, at := range []string{"grant", "release", "state", "machine", "compact"} {
		t.Run(at, func(t *testing.T) {
			runtime := newRuntime(t, small, "0")
			timed := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole(annotationMayMove, "true")}), "main", 2000)
			web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
			runtime.plugin.desk = &lostDesk{Desk: runtime.plugin.desk, at: at}
			second := runtime.mustCreate(runtime.pod(podShape{name: "b", annotations: whole()}), "main", 2000)
			runtime.check()
			runtime.stop(timed)
			runtime.check()
			if err := runtime.plugin.Compact(4, runtime.update); err != nil {
				t.Fatal(err)
			}
			runtime.synchronize()
			runtime.check()
			if lost, is := runtime.plugin.desk.(*lostDesk); is && lost.at != "" {
				t.Errorf("'%s' was not asked", at)
			}
			runtime.stop(second)
			runtime.stop(web)
		})
	}
}

func TestOthersMakeRoom(t *testing.T) {
	runtime := newRuntime(t, madeUp{packages: 1, nodesPerPackage: 2, l3PerNode: 1, coresPerL3: 4, threads: 1}, "0")
	runtime.plugin.settings.MovesMax = 2
	mayMove := whole(annotationMayMove, "true")
	for _, name := range []string{"a", "b"} {
		runtime.mustCreate(runtime.pod(podShape{name: name, annotations: mayMove}), "main", 1000)
	}
	containers := runtime.sorted()
	containers[0].Linux.Resources.Cpu.Cpus, containers[1].Linux.Resources.Cpu.Cpus = "1", "4"
	runtime.synchronize()
	web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
	large := runtime.mustCreate(runtime.pod(podShape{name: "c", annotations: whole(annotationWithin, "numa_node")}), "main", 4000)
	if cpusOf(t, large).String() != "4-7" {
		t.Errorf("CPUs %s", cpusOf(t, large))
	}
	runtime.check()
	if len(cpusOf(t, web)) != 2 {
		t.Errorf("shared CPUs %s", cpusOf(t, web))
	}
}

func TestScatteredContainersBecomeCompact(t *testing.T) {
	runtime := newRuntime(t, madeUp{packages: 1, nodesPerPackage: 2, l3PerNode: 1, coresPerL3: 4, threads: 1}, "0")
	container := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole(annotationMayMove, "true")}), "main", 2000)
	web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
	container.Linux.Resources.Cpu.Cpus = "3-4"
	runtime.synchronize()
	runtime.check()
	// While the runtime moves it, another container starts.
	calls := 0
	update := func(updates []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) {
		calls++
		if calls == 1 {
			if cpus := cpusOf(t, container); cpus.String() != "3-4" {
				t.Errorf("CPUs %s", cpus)
			}
			other := runtime.mustCreate(runtime.pod(podShape{name: "b", annotations: whole()}), "main", 1000)
			if both := cpusOf(t, other).And(cpusOf(t, container)); len(both) > 0 {
				t.Errorf("CPUs %s have two owners", both)
			}
		}
		return runtime.update(updates)
	}
	if err := runtime.plugin.Compact(4, update); err != nil {
		t.Fatal(err)
	}
	runtime.check()
	if cpus := cpusOf(t, container); len(runtime.machine.NUMAOf(cpus)) != 1 {
		t.Errorf("CPUs %s", cpus)
	}
	if !cpusOf(t, web).Overlaps(CPUs{3, 4}) {
		t.Errorf("the cores that were left are lost: shared %s", cpusOf(t, web))
	}
	if runtime.plugin.leaving != nil {
		t.Error("cores are still held back")
	}
}

// Another container starts before the runtime knows the first one, to which updates are lost.
func TestAContainerThatIsStillBeingCreated(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	ctx := context.Background()
	pod := runtime.pod(podShape{name: "web"})
	web := &api.Container{Id: "web", PodSandboxId: pod.Id, Name: "web", CreatedAt: 1, Linux: &api.LinuxContainer{Resources: &api.LinuxResources{Cpu: &api.LinuxCPU{}}}}
	adjustment, _, err := runtime.plugin.CreateContainer(ctx, pod, web)
	if err != nil {
		t.Fatal(err)
	}
	web.Linux.Resources.Cpu.Cpus = adjustment.Linux.Resources.Cpu.Cpus
	runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
	runtime.containers[web.Id] = web
	if err := runtime.plugin.PostCreateContainer(ctx, pod, web); err != nil {
		t.Fatal(err)
	}
	if err := runtime.plugin.settle(runtime.update); err != nil {
		t.Fatal(err)
	}
	runtime.check()
}

func TestResourcesThatAreChangedFromOutside(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	ctx := context.Background()
	pod := runtime.pod(podShape{name: "a", annotations: whole()})
	container := runtime.mustCreate(pod, "main", 2000)
	resize := &api.LinuxResources{Cpu: &api.LinuxCPU{Quota: api.Int64(int64(300_000)), Period: api.UInt64(uint64(100_000))}}
	if _, err := runtime.plugin.UpdateContainer(ctx, pod, container, resize); err == nil || !strings.Contains(err.Error(), "has 2 whole cores, and its limit would be 3 CPUs") {
		t.Errorf("resized: %v", err)
	}
	taken := &api.LinuxResources{Cpu: &api.LinuxCPU{Cpus: "0-3"}}
	updates, err := runtime.plugin.UpdateContainer(ctx, pod, container, taken)
	if err != nil || len(updates) != 1 || updates[0].Linux.Resources.Cpu.Cpus != container.Linux.Resources.Cpu.Cpus {
		t.Errorf("updates %v, %v", updates, err)
	}
}

func TestTheKubeletsOwnCoresAreLeftAlone(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	state := `{"policyName":"static","defaultCpuSet":"0-6,8-14","entries":{"uid-k":{"main":"7,15"}},"checksum":1}`
	if err := os.WriteFile(filepath.Join(runtime.settings.KubeletRoot, "cpu_manager_state"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	given := runtime.mustCreate(runtime.pod(podShape{name: "k"}), "main", 2000, func(c *api.Container) { c.Linux.Resources.Cpu.Cpus = "7,15" })
	timed := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
	if cpusOf(t, given).String() != "7,15" || cpusOf(t, timed).Has(7) {
		t.Errorf("CPUs %s and %s", cpusOf(t, given), cpusOf(t, timed))
	}
	found, err := ReadKubeletState(runtime.settings.KubeletRoot)
	if err != nil || !strings.Contains(found.Problem(), "policy 'static', expected 'none'") {
		t.Errorf("%v, %s", err, found.Problem())
	}
}

func TestCoresOfAResourceClaimAreLeftAlone(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	claim := func(container *api.Container) {
		container.CDIDevices = []*api.CDIDevice{{Name: draDevice + "claim"}}
		container.Linux.Resources.Cpu.Cpus = "2-3"
	}
	claimed := runtime.mustCreate(runtime.pod(podShape{name: "k"}), "main", 2000, claim)
	timed := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole(annotationWithin, "numa_node")}), "main", 2000)
	runtime.startPlugin()
	if cpusOf(t, claimed).String() != "2-3" || cpusOf(t, timed).Overlaps(CPUs{2, 3, 10, 11}) {
		t.Errorf("CPUs %s and %s", cpusOf(t, claimed), cpusOf(t, timed))
	}
	runtime.stop(claimed)
	runtime.check()
}

func TestRealTime(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	runtime.plugin.settings.RealTime = true
	pod := runtime.pod(podShape{name: "a", annotations: whole(annotationRealTime, "50")})
	if _, err := runtime.create(pod, "main", 1000); err == nil || !strings.Contains(err.Error(), "update containerd") {
		t.Errorf("refused: %v", err)
	}
	runtime.plugin.SetRuntimeNRI("0.12.1")
	container := &api.Container{Id: "r", Name: "main", Linux: &api.LinuxContainer{Resources: &api.LinuxResources{Cpu: &api.LinuxCPU{
		Quota: api.Int64(int64(100_000)), Period: api.UInt64(uint64(100_000)), Shares: api.UInt64(uint64(sharesPerCPU))}}}}
	adjustment, _, err := runtime.plugin.CreateContainer(context.Background(), pod, container)
	if err != nil || adjustment.Linux.Scheduler.GetPriority() != 50 || adjustment.Linux.Scheduler.GetPolicy() != api.LinuxSchedulerPolicy_SCHED_FIFO {
		t.Errorf("%v, %v", adjustment, err)
	}
}

func TestAPluginWithoutReservedCPUs(t *testing.T) {
	if _, err := NewPlugin(Settings{}, Sources{}); err == nil || !strings.Contains(err.Error(), "--reserved has no CPU; expected at least one") {
		t.Errorf("started: %v", err)
	}
}

func TestLists(t *testing.T) {
	for text, expected := range map[string]string{"0-3,8": "0-3,8", "8,0-2,1,3\n": "0-3,8", "": "", "1020-1027,4096": "1020-1027,4096"} {
		cpus, err := ParseCPUs(text)
		if err != nil || cpus.String() != expected {
			t.Errorf("'%s': %s, %v", text, cpus, err)
		}
	}
	for _, text := range []string{"a", "1-", "3-1", "-1", "0-9999999999", "1,,2"} {
		if cpus, err := ParseCPUs(text); err == nil {
			t.Errorf("'%s' is %s", text, cpus)
		}
	}
}
