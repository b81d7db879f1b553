package node

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// Above the kernel's largest number of shares, requests look alike.
func TestSharesOfLargeRequests(t *testing.T) {
	for cpus, expected := range map[uint32]uint64{1: 1024, 256: 262144, 257: 262144, 65535: 262144} {
		if found := sharesFor(cpus); found != expected {
			t.Errorf("%d CPUs have %d shares, expected %d", cpus, found, expected)
		}
	}
}

// Pod-level resources limit the pod as a whole.
func TestAPodHasNoMoreCoresThanItsLimit(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	pod := runtime.pod(podShape{name: "p", annotations: whole(), limit: 3000})
	first := runtime.mustCreate(pod, "a", 2000)
	_, err := runtime.create(pod, "b", 2000)
	if err == nil || !strings.Contains(err.Error(), "asks for 2 whole cores, which makes 4 in its pod, and the pod's CPU limit is 3; expected at most that many") {
		t.Errorf("refused: %v", err)
	}
	runtime.mustCreate(pod, "c", 1000)
	// A container restarts before its end is reported.
	runtime.mustCreate(pod, "a", 2000)
	runtime.stop(first)
	runtime.check()
	// Also one that was created while the plugin was away.
	pod.Linux.PodResources.Cpu.Quota = api.Int64(int64(200_000))
	for _, container := range runtime.containers {
		container.Linux.Resources.Cpu.Cpus = ""
	}
	runtime.warnings = nil
	runtime.startPlugin()
	if len(runtime.warnings) != 1 || !strings.Contains(runtime.warnings[0], "it runs on shared CPUs: container 'a' asks for 2 whole cores, which makes 3 in its pod") {
		t.Errorf("events %q", runtime.warnings)
	}
}

func TestOthersKeepWhatTheyRequested(t *testing.T) {
	for _, test := range []struct {
		name, siblings string
		victim         int64
		parent         string
		expected       string
	}{
		{"idle", "idle", 8000, "", "asks for 7 whole cores, after which 2 shared CPUs would remain; expected at least 9, which is what running containers have requested " +
			"and what is reserved: ask for fewer, or set the annotation fleet.tautochrone.dev/siblings to 'used'"},
		{"used", "used", 7000, "", ""},
		{"used, too many", "used", 9000, "", "after which 8 shared CPUs would remain; expected at least 10"},
		{"burstable", "idle", 1500, "/kubepods/burstable/podv", "after which 2 shared CPUs would remain; expected at least 2.5"},
		{"best effort", "idle", 8000, "/kubepods/besteffort/podv", ""},
		{"little", "idle", 1000, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			runtime := newRuntime(t, small, "0")
			victim := runtime.mustCreate(runtime.pod(podShape{name: "v", parent: test.parent}), "web", test.victim)
			_, err := runtime.create(runtime.pod(podShape{name: "p", annotations: whole(annotationSiblings, test.siblings)}), "c", 7000)
			if (err == nil) != (test.expected == "") || err != nil && !strings.Contains(err.Error(), test.expected) {
				t.Errorf("refused with %v, expected %s", err, test.expected)
			}
			runtime.check()
			// What was refused is free again.
			runtime.stop(victim)
			if err != nil {
				runtime.mustCreate(runtime.pod(podShape{name: "q", annotations: whole()}), "c", 7000)
			}
			runtime.check()
		})
	}
}

// A grant that is undone leaves the containers where they are that would have made room for it.
func TestARefusalMovesNothing(t *testing.T) {
	runtime := newRuntime(t, madeUp{packages: 1, nodesPerPackage: 2, l3PerNode: 1, coresPerL3: 4, threads: 1}, "0")
	runtime.plugin.settings.MovesMax = 2
	for _, name := range []string{"a", "b"} {
		runtime.mustCreate(runtime.pod(podShape{name: name, annotations: whole(annotationMayMove, "true")}), "main", 1000)
	}
	containers := runtime.sorted()
	containers[0].Linux.Resources.Cpu.Cpus, containers[1].Linux.Resources.Cpu.Cpus = "1", "4"
	runtime.synchronize()
	web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 5000)
	large := podShape{name: "c", annotations: whole(annotationWithin, "numa_node")}
	if _, err := runtime.create(runtime.pod(large), "main", 4000); err == nil || !strings.Contains(err.Error(), "after which 2 shared CPUs would remain; expected at least 6") {
		t.Errorf("refused: %v", err)
	}
	runtime.check()
	if found := cpusOf(t, containers[0]).String() + " " + cpusOf(t, containers[1]).String() + " " + runtime.plugin.shared.String(); found != "1 4 0,2-3,5-7" {
		t.Errorf("CPUs %s", found)
	}
	runtime.stop(web)
	runtime.mustCreate(runtime.pod(large), "main", 4000)
	runtime.check()
}

// What a pod's owner reads says nothing of other pods; the log does.
func TestRefusalsDoNotNameOthers(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	var log bytes.Buffer
	runtime.plugin.sources.Log = slog.New(slog.NewTextHandler(&log, nil))
	secret := runtime.pod(podShape{name: "secret-name", annotations: whole()})
	secret.Namespace = "secret-namespace"
	first := runtime.mustCreate(secret, "secret-container", 5000)
	log.Reset()
	_, err := runtime.create(runtime.pod(podShape{name: "spy", annotations: whole()}), "x", 7000)
	if err == nil || !strings.Contains(err.Error(), "2 of 7 usable cores are free; request at most 2 CPUs or wait until other containers have ended") {
		t.Errorf("refused: %v", err)
	}
	if !strings.Contains(log.String(), "secret-namespace/secret-name/secret-container/"+first.Id) {
		t.Errorf("logged %s", log.String())
	}
	// Also not when two have the same core.
	second := runtime.mustCreate(runtime.pod(podShape{name: "b", annotations: whole()}), "main", 1000)
	second.Linux.Resources.Cpu.Cpus = cpusOf(t, first)[:1].String()
	runtime.startPlugin()
	all := strings.Join(runtime.warnings, " ") + err.Error()
	if strings.Contains(all, "secret") || strings.Contains(all, "'"+first.Id+"'") || !strings.Contains(all, "CoresContradict") {
		t.Errorf("events %s", all)
	}
	runtime.check()
}

// The ends of a pod's containers were too large for a message.
func TestThePodsEndFreesAllItsCores(t *testing.T) {
	ends := map[string]func(*Plugin, *api.PodSandbox) error{
		"stop":   func(p *Plugin, pod *api.PodSandbox) error { return p.StopPodSandbox(context.Background(), pod) },
		"remove": func(p *Plugin, pod *api.PodSandbox) error { return p.RemovePodSandbox(context.Background(), pod) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			runtime := newRuntime(t, small, "0")
			web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
			pod := runtime.pod(podShape{name: "p", annotations: whole()})
			for at := range 3 {
				delete(runtime.containers, runtime.mustCreate(pod, fmt.Sprint("c", at), 2000).Id)
			}
			for range 2 {
				if err := end(runtime.plugin, pod); err != nil {
					t.Fatal(err)
				}
			}
			if err := runtime.plugin.settle(runtime.update); err != nil {
				t.Fatal(err)
			}
			if web.Linux.Resources.Cpu.Cpus != "0-15" || len(runtime.plugin.containers) != 1 {
				t.Errorf("shared CPUs %s, %d known", web.Linux.Resources.Cpu.Cpus, len(runtime.plugin.containers))
			}
		})
	}
}

func TestTheRequestOfARunningContainer(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	pod := runtime.pod(podShape{name: "a", annotations: whole()})
	container := runtime.mustCreate(pod, "main", 2000)
	lower := &api.LinuxResources{Cpu: &api.LinuxCPU{Shares: api.UInt64(uint64(10))}}
	if _, err := runtime.plugin.UpdateContainer(context.Background(), pod, container, lower); err == nil || !strings.Contains(err.Error(), "its request would be 0.01 CPUs") {
		t.Errorf("resized: %v", err)
	}
	// That of a shared container may grow, and counts then.
	other := runtime.pod(podShape{name: "web"})
	web := runtime.mustCreate(other, "web", 500)
	if _, err := runtime.plugin.UpdateContainer(context.Background(), other, web, &api.LinuxResources{Cpu: &api.LinuxCPU{Shares: api.UInt64(uint64(11 * 1024))}}); err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.create(runtime.pod(podShape{name: "b", annotations: whole()}), "main", 1000); err == nil || !strings.Contains(err.Error(), "expected at least 12") {
		t.Errorf("refused: %v", err)
	}
}

// measured is what an agent finds of a runtime's containers, except for some.
func measured(runtime *fakeRuntime, without ...string) Report {
	report := Report{}
	for _, container := range runtime.sorted() {
		if !strings.Contains(strings.Join(without, " "), container.Id) {
			report.Containers = append(report.Containers, ReportContainer{ID: container.Id, CPUs: container.Linux.Resources.Cpu.Cpus})
		}
	}
	return report
}

func TestTheAgentTakesLostCoresBack(t *testing.T) {
	for _, test := range []struct {
		name          string
		isSeenFirst   bool
		created       time.Time
		othersAreSeen bool
		rounds        int
		isReleased    bool
	}{
		{"seen before", true, time.Now(), true, 3, true},
		{"seen before, too early", true, time.Now(), true, 2, false},
		{"never seen, young", false, time.Now(), true, 9, false},
		{"never seen, old", false, time.Now().Add(-2 * missingAge), true, 3, true},
		{"nothing is seen", false, time.Now().Add(-2 * missingAge), false, 9, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			runtime := newRuntime(t, small, "0")
			web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
			lost := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
			runtime.plugin.containers[lost.Id].created = test.created.UnixNano()
			agent := &Agent{Plugin: runtime.plugin}
			round := func(report Report) {
				table, _ := runtime.plugin.Table()
				agent.repair(report, table)
			}
			if test.isSeenFirst {
				// One gap is nothing.
				round(measured(runtime))
				round(measured(runtime, lost.Id))
				round(measured(runtime))
			}
			for range test.rounds {
				if test.othersAreSeen {
					round(measured(runtime, lost.Id))
				} else {
					round(Report{})
				}
			}
			if runtime.plugin.knows(lost.Id) == test.isReleased {
				t.Errorf("released: %t", !test.isReleased)
			}
			if !test.isReleased {
				return
			}
			delete(runtime.containers, lost.Id)
			if err := runtime.plugin.settle(runtime.update); err != nil || web.Linux.Resources.Cpu.Cpus != "0-15" {
				t.Errorf("shared CPUs %s, %v", web.Linux.Resources.Cpu.Cpus, err)
			}
		})
	}
}

func TestTheAgentSendsAgainWhatDiffers(t *testing.T) {
	runtime := newRuntime(t, small, "0")
	web := runtime.mustCreate(runtime.pod(podShape{name: "web"}), "web", 500)
	timed := runtime.mustCreate(runtime.pod(podShape{name: "a", annotations: whole()}), "main", 2000)
	agent := &Agent{Plugin: runtime.plugin}
	table, _ := runtime.plugin.Table()
	for at, container := range []*api.Container{web, timed} {
		before := container.Linux.Resources.Cpu.Cpus
		container.Linux.Resources.Cpu.Cpus = "0-15"
		for round := range differingMax {
			if err := runtime.plugin.settle(runtime.update); err != nil || container.Linux.Resources.Cpu.Cpus != "0-15" {
				t.Errorf("container %d, round %d: CPUs %s, %v", at, round, container.Linux.Resources.Cpu.Cpus, err)
			}
			agent.repair(measured(runtime), table)
		}
		if err := runtime.plugin.settle(runtime.update); err != nil || container.Linux.Resources.Cpu.Cpus != before {
			t.Errorf("container %d: CPUs %s, expected %s, %v", at, container.Linux.Resources.Cpu.Cpus, before, err)
		}
	}
	runtime.check()
}
