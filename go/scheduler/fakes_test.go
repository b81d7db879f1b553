package scheduler

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// handle is a framework.Handle with what the plugin uses.
type handle struct {
	fwk.Handle
	client    *fake.Clientset
	informers informers.SharedInformerFactory
	recorder  *recorder
	mutex     sync.Mutex
	activated []string
}

func (h *handle) ClientSet() clientset.Interface                         { return h.client }
func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.informers }
func (h *handle) EventRecorder() events.EventRecorderLogger              { return h.recorder }
func (h *handle) APICacher() fwk.APICacher                               { return nil }
func (h *handle) ProfileName() string                                    { return "default-scheduler" }
func (h *handle) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for name := range pods {
		h.activated = append(h.activated, name)
	}
}

func (h *handle) wasActivated(name string) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, pod := range h.activated {
		if pod == name {
			return true
		}
	}
	return false
}

// recorder keeps events as "Kind/name type reason note".
type recorder struct {
	mutex  sync.Mutex
	events []string
}

func (r *recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

func (r *recorder) Eventf(about, _ runtime.Object, kind, reason, _, note string, args ...any) {
	name := ""
	if reference, is := about.(*v1.ObjectReference); is {
		name = reference.Name
	} else if object, err := meta.Accessor(about); err == nil {
		name = object.GetName()
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.events = append(r.events, fmt.Sprintf("%s %s %s %s", name, kind, reason, fmt.Sprintf(note, args...)))
}

func (r *recorder) find(part string) string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, event := range r.events {
		if strings.Contains(event, part) {
			return event
		}
	}
	return ""
}

// cycle is the state of one scheduling cycle.
type cycle struct {
	fwk.CycleState
	data map[fwk.StateKey]fwk.StateData
}

func newCycle() *cycle { return &cycle{data: map[fwk.StateKey]fwk.StateData{}} }

func (c *cycle) Read(key fwk.StateKey) (fwk.StateData, error) {
	if data, is := c.data[key]; is {
		return data, nil
	}
	return nil, fwk.ErrNotFound
}
func (c *cycle) Write(key fwk.StateKey, data fwk.StateData) { c.data[key] = data }
func (c *cycle) Delete(key fwk.StateKey)                    { delete(c.data, key) }

type nodeInfo struct {
	fwk.NodeInfo
	node *v1.Node
}

func (n nodeInfo) Node() *v1.Node { return n.node }

// harness is a plugin on a made-up cluster.
type harness struct {
	*Plugin
	handle *handle
	t      *testing.T
}

func newHarness(t *testing.T, args *Args, open func() (desk, error), objects ...runtime.Object) *harness {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	client := fake.NewClientset(objects...)
	h := &handle{client: client, informers: informers.NewSharedInformerFactory(client, 0), recorder: &recorder{}}
	args.setDefaults()
	if err := args.check(); err != nil {
		t.Fatal(err)
	}
	plugin, err := start(ctx, args, h, open)
	if err != nil {
		t.Fatal(err)
	}
	h.informers.Start(ctx.Done())
	h.informers.WaitForCacheSync(ctx.Done())
	if err := plugin.waitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	return &harness{plugin, h, t}
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("waited too long until %s", what)
}

// decide runs the steps of a cycle up to the choice of a node.
func (h *harness) decide(pod *v1.Pod) (*cycle, []string, *fwk.Status) {
	h.t.Helper()
	state := newCycle()
	_, status := h.PreFilter(context.Background(), state, pod, nil)
	if found := chosenOf(state); found != nil {
		return state, found.hosts, status
	}
	return state, nil, status
}

// place decides and reserves.
func (h *harness) place(pod *v1.Pod) string {
	h.t.Helper()
	state, hosts, status := h.decide(pod)
	if len(hosts) == 0 {
		h.t.Fatalf("%s has no node: %s", pod.Name, status.Message())
	}
	if status := h.Reserve(context.Background(), state, pod, hosts[0]); !status.IsSuccess() {
		h.t.Fatal(status.Message())
	}
	return hosts[0]
}

func (h *harness) figures() figures {
	h.t.Helper()
	state, err := h.fleet.state()
	if err != nil {
		h.t.Fatal(err)
	}
	return state
}

func amounts(cpu, memory string) v1.ResourceList {
	list := v1.ResourceList{}
	if cpu != "" {
		list[v1.ResourceCPU] = resource.MustParse(cpu)
	}
	if memory != "" {
		list[v1.ResourceMemory] = resource.MustParse(memory)
	}
	return list
}

func newNode(name, cpu string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}, Annotations: map[string]string{}},
		Status:     v1.NodeStatus{Allocatable: amounts(cpu, "16Gi"), Capacity: amounts(cpu, "16Gi")},
	}
}

func newNodes(count int) []runtime.Object {
	var nodes []runtime.Object
	for i := range count {
		nodes = append(nodes, newNode(fmt.Sprintf("n%d", i), "8"))
	}
	return nodes
}

func newPod(name, cpu string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), Annotations: map[string]string{}},
		Spec: v1.PodSpec{
			SchedulerName: "default-scheduler",
			Containers:    []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: amounts(cpu, "64Mi")}}},
		},
	}
}

func guaranteed(pod *v1.Pod) *v1.Pod {
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].Resources.Limits = pod.Spec.Containers[i].Resources.Requests
	}
	return pod
}

func annotated(pod *v1.Pod, pairs ...string) *v1.Pod {
	for i := 0; i < len(pairs); i += 2 {
		pod.Annotations[pairs[i]] = pairs[i+1]
	}
	return pod
}

func on(pod *v1.Pod, node string) *v1.Pod {
	pod.Spec.NodeName = node
	pod.Status.Phase = v1.PodRunning
	pod.Status.StartTime = &metav1.Time{Time: time.Now().Add(-time.Hour)}
	return pod
}

// ofDaemonSet makes a pod as the controller of DaemonSets does.
func ofDaemonSet(pod *v1.Pod, node string) *v1.Pod {
	owned(pod, "DaemonSet", "agent").OwnerReferences[0].APIVersion = "apps/v1"
	return toNode(pod, node)
}

func toNode(pod *v1.Pod, node string) *v1.Pod {
	field := v1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node}}
	pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{field}}},
	}}}
	return pod
}

// with adds a container.
func with(pod *v1.Pod, name, cpu string) *v1.Pod {
	container := newPod("", cpu).Spec.Containers[0]
	container.Name = name
	pod.Spec.Containers = append(pod.Spec.Containers, container)
	return pod
}

func owned(pod *v1.Pod, kind, name string) *v1.Pod {
	yes := true
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, Controller: &yes, UID: "owner"}}
	return pod
}
