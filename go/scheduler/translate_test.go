package scheduler

import (
	"strings"
	"testing"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"
)

func TestPodsAreTranslated(t *testing.T) {
	permille := func(value uint32) *uint32 { return &value }
	tests := map[string]struct {
		pod    *v1.Pod
		expect jobRecord
	}{
		"plain":  {newPod("p", "1500m"), jobRecord{CPUMilli: 1500, MemoryMiB: 64, Level: "standard"}},
		"no cpu": {newPod("p", ""), jobRecord{CPUMilli: 1, MemoryMiB: 64, Level: "standard"}},
		"best effort": {func() *v1.Pod {
			pod := newPod("p", "")
			pod.Spec.Containers[0].Resources.Requests = nil
			return pod
		}(), jobRecord{CPUMilli: 1, Level: "best-effort"}},
		"memory is rounded up": {func() *v1.Pod {
			pod := newPod("p", "1")
			pod.Spec.Containers[0].Resources.Requests = amounts("1", "65537Ki")
			return pod
		}(), jobRecord{CPUMilli: 1000, MemoryMiB: 65, Level: "standard"}},
		"init containers and overhead": {func() *v1.Pod {
			pod := newPod("p", "1")
			pod.Spec.InitContainers = []v1.Container{{Name: "i", Resources: v1.ResourceRequirements{Requests: amounts("3", "32Mi")}}}
			pod.Spec.Overhead = amounts("100m", "16Mi")
			return pod
		}(), jobRecord{CPUMilli: 3100, MemoryMiB: 80, Level: "standard"}},
		"level best effort": {func() *v1.Pod {
			pod := annotated(newPod("p", ""), levelAnnotation, "best-effort")
			pod.Spec.Containers[0].Resources.Requests = nil
			return pod
		}(), jobRecord{CPUMilli: 1, Level: "best-effort"}},
		"level standard": {annotated(newPod("p", "1"), levelAnnotation, "standard"), jobRecord{CPUMilli: 1000, MemoryMiB: 64, Level: "standard"}},
		"level strict":   {annotated(guaranteed(newPod("p", "2")), levelAnnotation, "strict"), jobRecord{CPUMilli: 2000, MemoryMiB: 64, Level: "strict"}},
		"level strict and a sidecar that shares": {
			annotated(guaranteed(with(newPod("p", "2"), "side", "100m")), levelAnnotation, "strict"),
			jobRecord{CPUMilli: 2100, MemoryMiB: 128, Level: "strict"},
		},
		"level strict and a large sidecar that shares": {
			annotated(guaranteed(with(newPod("p", "2"), "side", "1500m")), levelAnnotation, "strict", coresAnnotation+".side", "shared"),
			jobRecord{CPUMilli: 3500, MemoryMiB: 128, Level: "strict"},
		},
		"whole cores": {
			annotated(guaranteed(newPod("p", "2")), coresAnnotation, "whole"),
			jobRecord{CPUMilli: 2000, MemoryMiB: 64, Level: "strict", IdleSiblings: true},
		},
		"siblings idle": {
			annotated(guaranteed(newPod("p", "2")), coresAnnotation, "whole", siblingsAnnotation, "idle"),
			jobRecord{CPUMilli: 2000, MemoryMiB: 64, Level: "strict", IdleSiblings: true},
		},
		"siblings used": {
			annotated(guaranteed(newPod("p", "2")), coresAnnotation, "whole", siblingsAnnotation, "used"),
			jobRecord{CPUMilli: 2000, MemoryMiB: 64, Level: "strict"},
		},
		"whole cores of one container": {
			annotated(guaranteed(with(newPod("p", "2"), "side", "100m")), coresAnnotation+".main", "whole", levelAnnotation, "strict"),
			jobRecord{CPUMilli: 2100, MemoryMiB: 128, Level: "strict", IdleSiblings: true},
		},
		"whole cores of each container": {
			annotated(guaranteed(with(newPod("p", "2"), "side", "1")), coresAnnotation, "whole", coresAnnotation+".side", "whole"),
			jobRecord{CPUMilli: 3000, MemoryMiB: 128, Level: "strict", IdleSiblings: true},
		},
		"shared cores": {
			annotated(guaranteed(newPod("p", "2")), coresAnnotation, "shared", siblingsAnnotation, "any"),
			jobRecord{CPUMilli: 2000, MemoryMiB: 64, Level: "standard"},
		},
		"cores of a container that is not there": {
			annotated(newPod("p", "2"), coresAnnotation+".other", "whole"), jobRecord{CPUMilli: 2000, MemoryMiB: 64, Level: "standard"},
		},
		"more than the desk takes": {annotated(newPod("p", "5000")), jobRecord{CPUMilli: 4_096_000, MemoryMiB: 64, Level: "standard"}},
		"service": {owned(newPod("p", "1"), "StatefulSet", "db"),
			jobRecord{CPUMilli: 1000, MemoryMiB: 64, Level: "standard", Service: "ns/StatefulSet/db"}},
		"service with control characters": {owned(newPod("p", "1"), "ReplicaSet", "a\nb\u0085c"),
			jobRecord{CPUMilli: 1000, MemoryMiB: 64, Level: "standard", Service: "ns/ReplicaSet/a_b_c"}},
		"the highest noise": {
			annotated(newPod("p", "1"), noiseMaxAnnotation, "1000000"),
			jobRecord{CPUMilli: 1000, MemoryMiB: 64, Level: "standard", NoiseMaxPermille: permille(1_000_000)},
		},
		"the hash of a template is left out": {func() *v1.Pod {
			pod := owned(newPod("p", "1"), "ReplicaSet", "web-5d8f")
			pod.Labels = map[string]string{"pod-template-hash": "5d8f"}
			return pod
		}(), jobRecord{CPUMilli: 1000, MemoryMiB: 64, Level: "standard", Service: "ns/ReplicaSet/web"}},
		"apart and noise": {
			annotated(newPod("p", "1"), apartAnnotation, "true", noiseMaxAnnotation, "20"),
			jobRecord{CPUMilli: 1000, MemoryMiB: 64, Level: "standard", Apart: true, NoiseMaxPermille: permille(20)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			record, err := recordOfPod(test.pod)
			if err != nil {
				t.Fatal(err)
			}
			test.expect.Job = "ns/p"
			if !same(record, test.expect) {
				t.Errorf("found %+v, expected %+v", record, test.expect)
			}
		})
	}
}

func TestBadAnnotationsAreRefused(t *testing.T) {
	tests := map[string]struct {
		pod    *v1.Pod
		expect string
	}{
		"half a core": {
			annotated(guaranteed(newPod("p", "1500m")), coresAnnotation, "whole"),
			"container 'main' asks for whole cores, but its CPU limit is 1.5; expected a whole number of CPUs: " +
				"set resources.requests.cpu and resources.limits.cpu to one, such as 2",
		},
		"too little": {annotated(guaranteed(newPod("p", "500m")), coresAnnotation, "whole"), "but its CPU limit is 0.5"},
		"burstable":  {annotated(newPod("p", "2"), coresAnnotation, "whole"), "needs a Guaranteed pod, and this one is Burstable"},
		"a small sidecar": {
			annotated(guaranteed(with(newPod("p", "2"), "side", "100m")), coresAnnotation, "whole"),
			"container 'side' asks for whole cores, but its CPU limit is 0.1; expected a whole number of CPUs: set resources.requests.cpu and " +
				"resources.limits.cpu to one, such as 1; or use fleet.tautochrone.dev/cores.CONTAINER for the container that needs them, " +
				"instead of fleet.tautochrone.dev/cores for the whole pod",
		},
		"an init container": {func() *v1.Pod {
			pod := guaranteed(with(newPod("p", "2"), "first", "1500m"))
			pod.Spec.InitContainers, pod.Spec.Containers = pod.Spec.Containers[1:], pod.Spec.Containers[:1]
			return annotated(pod, coresAnnotation, "whole")
		}(), "container 'first' asks for whole cores, but its CPU limit is 1.5"},
		"half a core of one container": {
			annotated(guaranteed(with(newPod("p", "2"), "side", "1500m")), coresAnnotation+".side", "whole"), "container 'side' asks for whole cores",
		},
		"no limit of a container": {func() *v1.Pod {
			pod := annotated(newPod("p", "2"), coresAnnotation, "whole")
			pod.Status.QOSClass = v1.PodQOSGuaranteed
			return pod
		}(), "container 'main' asks for whole cores, but has no CPU limit"},
		"another request than the limit": {func() *v1.Pod {
			pod := annotated(guaranteed(newPod("p", "2")), coresAnnotation, "whole")
			pod.Spec.Containers[0].Resources.Requests = amounts("1", "64Mi")
			pod.Status.QOSClass = v1.PodQOSGuaranteed
			return pod
		}(), "container 'main' asks for 2 whole cores, but requests 1 CPUs; expected a request that equals its limit"},
		"strict of almost nothing":   {annotated(newPod("p", "1m"), levelAnnotation, "strict"), "level: strict needs a Guaranteed pod, and this one is Burstable"},
		"strict of less than a core": {annotated(guaranteed(newPod("p", "1m")), levelAnnotation, "strict"), "no container requests one"},
		"strict of half a core": {
			annotated(guaranteed(newPod("p", "1500m")), levelAnnotation, "strict"), "level: strict needs whole CPUs, and the container 'main' requests 1500m",
		},
		"strict of shared cores": {
			annotated(guaranteed(newPod("p", "2")), levelAnnotation, "strict", coresAnnotation, "shared"),
			"fleet.tautochrone.dev/cores: shared and fleet.tautochrone.dev/level: strict contradict each other",
		},
		"best effort with requests": {
			annotated(newPod("p", "2"), levelAnnotation, "best-effort"), "level: best-effort needs a BestEffort pod, and this one is Burstable",
		},
		"contradiction of a container": {
			annotated(guaranteed(newPod("p", "2")), coresAnnotation, "whole", coresAnnotation+".main", "shared"),
			"fleet.tautochrone.dev/cores: whole and fleet.tautochrone.dev/cores.main: shared contradict each other",
		},
		"siblings": {
			annotated(guaranteed(newPod("p", "2")), coresAnnotation, "whole", siblingsAnnotation, "some"), "siblings is 'some'; expected 'idle' or 'used'",
		},
		"high noise": {annotated(newPod("p", "2"), noiseMaxAnnotation, "1000001"), "is 1000001; expected 0 to 1000000"},
		"a long one": {
			annotated(newPod("p", "2"), levelAnnotation, strings.Repeat("é", 100_000)), "level is '" + strings.Repeat("é", 40) + "...'; expected",
		},
		"a long number":      {annotated(newPod("p", "2"), noiseMaxAnnotation, strings.Repeat("9", 1000)), "is '" + strings.Repeat("9", 40) + "...'; expected"},
		"control characters": {annotated(newPod("p", "2"), apartAnnotation, "a\nb"), "is 'a_b'; expected"},
		"contradiction": {
			annotated(guaranteed(newPod("p", "2")), coresAnnotation, "whole", levelAnnotation, "standard"),
			"fleet.tautochrone.dev/cores: whole and fleet.tautochrone.dev/level: standard contradict each other",
		},
		"cores": {annotated(newPod("p", "2"), coresAnnotation, "half"), "is 'half'; expected 'whole' or 'shared'"},
		"level": {annotated(newPod("p", "2"), levelAnnotation, "gold"), "is 'gold'; expected 'strict', 'standard' or 'best-effort'"},
		"apart": {annotated(newPod("p", "2"), apartAnnotation, "yes"), "is 'yes'; expected 'true' or 'false'"},
		"noise": {annotated(newPod("p", "2"), noiseMaxAnnotation, "-1"), "is '-1'; expected a whole number"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			record, err := recordOfPod(test.pod)
			if err == nil || !strings.Contains(err.Error(), test.expect) {
				t.Errorf("found %v, expected '%s'", err, test.expect)
			}
			if record.CPUMilli == 0 || record.Job == "" || record.Level != standard || record.IdleSiblings || record.NoiseMaxPermille != nil {
				t.Errorf("the record cannot be used: %+v", record)
			}
		})
	}
}

func TestNodesAreTranslated(t *testing.T) {
	node := newNode("n", "3920m")
	node.Status.Allocatable[v1.ResourceMemory] = amounts("", "2097151Ki")[v1.ResourceMemory]
	node.Labels[poolLabel] = "timed"
	for name, value := range map[string]string{noiseAnnotation: "7", priceAnnotation: "12", numaNodesAnnotation: "2", threadsAnnotation: "two"} {
		node.Annotations[name] = value
	}
	record, complaints := recordOfNode(node, "main")
	seven := uint32(7)
	expect := hostRecord{Host: "n", CPUMilli: 3920, MemoryMiB: 2047, NUMANodes: 2, Threads: 1, Pool: "timed", Cluster: "main",
		NoisePermille: &seven, Price: 12}
	if !same(record, expect) {
		t.Errorf("found %+v, expected %+v", record, expect)
	}
	if len(complaints) != 1 || !strings.Contains(complaints[0].Error(), "threads is 'two'") {
		t.Errorf("complaints: %v", complaints)
	}
}

func TestLongNamesStayDifferent(t *testing.T) {
	long := strings.Repeat("x", 250)
	a, b := jobName("namespace", long+"a"), jobName("namespace", long+"b")
	if len(a) != nameBytesMax || len(b) != nameBytesMax || a == b {
		t.Errorf("names %s and %s", a, b)
	}
	service := serviceOf(owned(newPod("p", "1"), "ReplicaSet", strings.Repeat("é", 200)))
	if len(service) > nameBytesMax || !utf8.ValidString(service) {
		t.Errorf("service %q", service)
	}
	if jobName("ns", "p") != "ns/p" {
		t.Error("short names stay")
	}
}

func TestArgsAreStrict(t *testing.T) {
	tests := map[string]struct{ raw, expect string }{
		"unknown":    {`{"policy": {"nam": "p"}}`, `unknown field "policy.nam"`},
		"type":       {`{"cluster": 3}`, "cluster"},
		"namespace":  {`{"policy": {"name": "p"}}`, "policy.namespace: '' is no namespace"},
		"two loads":  {`{"loads": {"metricsAPI": true, "prometheus": {"url": "http://p"}}}`, "loads: expected one of"},
		"no loads":   {`{"loads": {}}`, "loads: expected one of"},
		"url":        {`{"loads": {"prometheus": {"url": "p:9090"}}}`, "loads.prometheus.url: 'p:9090'"},
		"listen":     {`{"listen": {"address": "0.0.0.0:1"}}`, "listen.address: '0.0.0.0:1' is reached from other machines"},
		"listen all": {`{"listen": {"address": ":1"}}`, "listen.address: ':1' is reached from other machines"},
		"annotate":   {`{"annotate": "all"}`, "annotate: 'all' is none of 'none', 'brief' and 'full'"},
		"evictions":  {`{"rescheduling": {"evictionsMax": -1}}`, "rescheduling.evictionsMax: -1"},
		"built-in":   {`{"policy": {"namespace": "n", "name": "p", "builtIn": "x\ny"}}`, "policy.builtIn"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := readArgs(rawArgs(test.raw))
			if err == nil || !strings.Contains(err.Error(), test.expect) || strings.Contains(err.Error(), "\n") {
				t.Errorf("found %v, expected '%s'", err, test.expect)
			}
		})
	}
	args, err := readArgs(rawArgs(`{"policy": {"namespace": "n", "name": "p"}, "listen": {"address": "[::1]:80"}, "rescheduling": {"enabled": true}}`))
	if err != nil || args.Policy.Key != "policy.yaml" || args.Rescheduling.EvictionsMax != 5 || args.Cluster != "main" || args.Annotate != "brief" {
		t.Errorf("args %+v, %v", args, err)
	}
	if args, err := readArgs(nil); err != nil || args.builtInText() != "policy: default\nextends: spread\n" {
		t.Errorf("without args: %+v, %v", args, err)
	}
}

func TestTextIsCutBetweenCharacters(t *testing.T) {
	for _, test := range []struct {
		text   string
		bytes  int
		expect string
	}{{"éé", 4, "éé"}, {"éé", 3, "é"}, {"éé", 1, ""}, {"abc", 2, "ab"}} {
		if found := cut(test.text, test.bytes); found != test.expect {
			t.Errorf("%s to %d bytes: %q", test.text, test.bytes, found)
		}
	}
	h := &handle{recorder: &recorder{}}
	(&Plugin{handle: h}).event(newNode("n", "1"), v1.EventTypeWarning, "Reason", "Acting", "x"+strings.Repeat("é", eventBytesMax))
	note, is := strings.CutPrefix(h.recorder.events[0], "n Warning Reason ")
	if !is || len(note) > eventBytesMax || !utf8.ValidString(note) || !strings.HasSuffix(note, "é...") {
		t.Errorf("note %q", note)
	}
}
