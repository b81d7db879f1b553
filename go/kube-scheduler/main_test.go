package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	schedulerruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"tautochrone.dev/fleet/scheduler"
)

const decisionAnnotation = "fleet.tautochrone.dev/decision"

// cluster is a fake API server that binds as the real one does.
type cluster struct {
	*fake.Clientset
	t       *testing.T
	mutex   sync.Mutex
	evicted []string
}

// startCluster runs the scheduler with the configuration that the README shows.
func startCluster(t *testing.T, objects ...runtime.Object) *cluster {
	t.Helper()
	readme, err := os.ReadFile("../scheduler/README.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(apiVersion: kubescheduler.*?)```").FindSubmatch(readme)
	if example == nil {
		t.Fatal("the README has no configuration")
	}
	text := strings.Replace(string(example[1]), "127.0.0.1:10270", "127.0.0.1:0", 1)
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := options.LoadConfigFromFile(klog.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	c := &cluster{Clientset: fake.NewClientset(objects...), t: t}
	c.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding := action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		resourceOfPods := v1.SchemeGroupVersion.WithResource("pods")
		object, err := c.Tracker().Get(resourceOfPods, binding.Namespace, binding.Name)
		if err != nil {
			return true, nil, err
		}
		pod := object.(*v1.Pod).DeepCopy()
		pod.Spec.NodeName, pod.Annotations = binding.Target.Name, binding.Annotations
		return true, binding, c.Tracker().Update(resourceOfPods, pod, pod.Namespace)
	})
	c.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.evicted = append(c.evicted, action.(clienttesting.DeleteAction).GetName())
		return false, nil, nil
	})
	informers := kubescheduler.NewInformerFactory(c, 0)
	dynamic := dynamicinformer.NewDynamicSharedInformerFactory(dynamicfake.NewSimpleDynamicClient(clientscheme.Scheme), 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: c.EventsV1()})
	made, err := kubescheduler.New(ctx, c, informers, dynamic, profile.NewRecorderFactory(broadcaster),
		kubescheduler.WithProfiles(config.Profiles...),
		kubescheduler.WithFrameworkOutOfTreeRegistry(schedulerruntime.Registry{scheduler.Name: scheduler.New}),
		kubescheduler.WithPodInitialBackoffSeconds(1), kubescheduler.WithPodMaxBackoffSeconds(1))
	if err != nil {
		t.Fatal(err)
	}
	informers.Start(ctx.Done())
	dynamic.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	if err := made.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	go made.Run(ctx)
	return c
}

func (c *cluster) create(pod *v1.Pod) {
	c.t.Helper()
	if _, err := c.CoreV1().Pods(pod.Namespace).Create(context.Background(), pod, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// bound waits until a pod has a node, and checks that it has the decision.
func (c *cluster) bound(name string) string {
	c.t.Helper()
	for range 2000 {
		pod, err := c.CoreV1().Pods("ns").Get(context.Background(), name, metav1.GetOptions{})
		if err != nil {
			c.t.Fatal(err)
		}
		if pod.Spec.NodeName == "" {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		var decision struct {
			Host string `json:"host"`
		}
		if err := json.Unmarshal([]byte(pod.Annotations[decisionAnnotation]), &decision); err != nil || decision.Host != pod.Spec.NodeName {
			c.t.Errorf("%s is on %s, and its decision says %q", name, pod.Spec.NodeName, decision.Host)
		}
		return pod.Spec.NodeName
	}
	c.t.Fatalf("%s has no node", name)
	return ""
}

func nodes(count int) []runtime.Object {
	var all []runtime.Object
	for i := range count {
		has := v1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("16Gi"), "pods": resource.MustParse("110")}
		name := fmt.Sprintf("n%02d", i)
		all = append(all, &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name}},
			Status:     v1.NodeStatus{Allocatable: has, Capacity: has},
		})
	}
	return all
}

func pod(name, cpu string) *v1.Pod {
	asks := v1.ResourceRequirements{Requests: v1.ResourceList{"cpu": resource.MustParse(cpu)}}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name)},
		Spec:       v1.PodSpec{SchedulerName: "default-scheduler", Containers: []v1.Container{{Name: "main", Resources: asks}}},
	}
}

func TestPodsAreSpread(t *testing.T) {
	c := startCluster(t, nodes(8)...)
	taken := map[string]bool{}
	for i := range 8 {
		c.create(pod(fmt.Sprintf("p%d", i), "1"))
	}
	for i := range 8 {
		taken[c.bound(fmt.Sprintf("p%d", i))] = true
	}
	if len(taken) != 8 {
		t.Errorf("8 pods went to %d nodes", len(taken))
	}
}

func TestReschedulingTakesItsLease(t *testing.T) {
	c := startCluster(t)
	for range 2000 {
		lease, err := c.CoordinationV1().Leases("kube-system").Get(context.Background(), "tautochrone-rescheduler", metav1.GetOptions{})
		if err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("there is no lease")
}

// The decisions know nothing of affinity between pods: all nodes but the fullest refuse this one by it.
func TestOtherNodesAreTriedBeforePodsAreEvicted(t *testing.T) {
	objects := nodes(40)
	for i := range 40 {
		there := pod(fmt.Sprintf("there%02d", i), "1")
		there.Labels = map[string]string{"app": "alone"}
		if i == 27 {
			there = pod("there27", "5")
		}
		there.Spec.NodeName = fmt.Sprintf("n%02d", i)
		objects = append(objects, there)
	}
	c := startCluster(t, objects...)
	alone, high := pod("alone", "1"), int32(1000)
	alone.Spec.Priority = &high
	alone.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "alone"}}, TopologyKey: v1.LabelHostname,
	}}}}
	began := time.Now()
	c.create(alone)
	if node := c.bound("alone"); node != "n27" {
		t.Errorf("it is on %s", node)
	}
	t.Logf("after %s", time.Since(began))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.evicted) > 0 {
		t.Errorf("evicted: %v", c.evicted)
	}
}

func TestAPodThatWaitsGetsTheNextRoom(t *testing.T) {
	full := pod("full", "7")
	full.Spec.NodeName = "n00"
	c := startCluster(t, append(nodes(1), full)...)
	c.create(pod("waits", "4"))
	until := time.Now().Add(10 * time.Second)
	for !c.isRefused("waits") {
		if time.Now().After(until) {
			t.Fatal("it is not refused")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := c.CoreV1().Pods("ns").Delete(context.Background(), "full", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.bound("waits")
}

func (c *cluster) isRefused(name string) bool {
	found, err := c.CoreV1().Pods("ns").Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, condition := range found.Status.Conditions {
		if condition.Type == v1.PodScheduled && condition.Reason == v1.PodReasonUnschedulable {
			return strings.Contains(condition.Message, "has too few CPUs left")
		}
	}
	return false
}
