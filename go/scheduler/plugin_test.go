package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"
)

func same(a, b any) bool { return reflect.DeepEqual(a, b) }

func rawArgs(raw string) runtime.Object {
	return &runtime.Unknown{Raw: []byte(raw), ContentType: runtime.ContentTypeJSON}
}

func policyArgs() *Args { return &Args{Policy: &PolicyArgs{Namespace: "system", Name: "placement"}} }

func policyMap(text string) *v1.ConfigMap {
	return &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: "placement"}, Data: map[string]string{"policy.yaml": text}}
}

func TestPodsOfOneMomentGoToDifferentNodes(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(8)...)
	taken := map[string]bool{}
	for i := range 8 {
		taken[h.place(newPod(fmt.Sprintf("p%d", i), "1"))] = true
	}
	if len(taken) != 8 {
		t.Errorf("8 pods went to %d nodes", len(taken))
	}
}

func TestWhatWasJustPlacedCountsThoughLoadsAreLow(t *testing.T) {
	objects := newNodes(8)
	for i := range 8 {
		objects = append(objects, on(newPod(fmt.Sprintf("old%d", i), "1"), fmt.Sprintf("n%d", i)))
	}
	h := newHarness(t, policyArgs(), openFleet, append(objects, policyMap("policy: mine\nextends: load-aware\n"))...)
	until(t, "the policy is used", func() bool { return h.policy().Name == "mine" })
	until(t, "the pods are known", func() bool { return h.figures().Jobs == 8 })
	observe := func() {
		ended := windowEnd(time.Now(), 5*time.Minute).Add(-5 * time.Minute)
		h.observe(context.Background(), idle{}, ended, 5*time.Minute)
	}
	observe()
	taken := map[string]bool{}
	for i := range 8 {
		taken[h.place(newPod(fmt.Sprintf("new%d", i), "4"))] = true
		// The new pods are in no window that ended.
		observe()
	}
	if len(taken) != 8 {
		t.Errorf("8 pods went to %d nodes", len(taken))
	}
	if h.figures().IsStale {
		t.Error("the windows do not count")
	}
}

// idle is a source in which no pod uses anything.
type idle struct{}

func (idle) take(context.Context, time.Time) error { return nil }
func (idle) samples(context.Context, time.Time, time.Time) ([]sample, error) {
	one := sample{}
	for i := range 8 {
		one[fmt.Sprintf("ns/old%d", i)] = 0
	}
	return []sample{one}, nil
}

func TestANodeWithoutHistoryIsNotQuiet(t *testing.T) {
	known, unknown := newNode("known", "8"), newNode("unknown", "8")
	known.Annotations[noiseAnnotation] = "10"
	h := newHarness(t, policyArgs(), openFleet, unknown, known, policyMap("policy: mine\nprefer: {quiet: 1}\n"))
	until(t, "the policy is used", func() bool { return h.policy().Name == "mine" })
	if _, hosts, _ := h.decide(newPod("p", "1")); !slices.Equal(hosts, []string{"known", "unknown"}) {
		t.Errorf("by noise: %v", hosts)
	}
	if _, hosts, _ := h.decide(annotated(newPod("q", "1"), noiseMaxAnnotation, "20")); !slices.Equal(hosts, []string{"known"}) {
		t.Errorf("with a highest noise: %v", hosts)
	}
}

func TestSelectorsAndTaints(t *testing.T) {
	nodes := newNodes(4)
	for i, node := range nodes {
		node.(*v1.Node).Labels["disk"] = []string{"ssd", "hdd"}[i%2]
	}
	nodes[0].(*v1.Node).Spec.Taints = []v1.Taint{{Key: "for", Value: "others", Effect: v1.TaintEffectNoSchedule}}
	nodes[3].(*v1.Node).Spec.Taints = []v1.Taint{{Key: "soft", Effect: v1.TaintEffectPreferNoSchedule}}
	selecting := func(pod *v1.Pod, disk string) *v1.Pod {
		pod.Spec.NodeSelector = map[string]string{"disk": disk}
		return pod
	}
	affine := newPod("affine", "1")
	notSSD := v1.NodeSelectorRequirement{Key: "disk", Operator: v1.NodeSelectorOpNotIn, Values: []string{"ssd"}}
	affine.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{notSSD}}},
	}}}
	tolerant := selecting(newPod("tolerant", "1"), "ssd")
	tolerant.Spec.Tolerations = []v1.Toleration{{Key: "for", Operator: v1.TolerationOpExists}}
	h := newHarness(t, &Args{}, openFleet, nodes...)
	for _, test := range []struct {
		pod    *v1.Pod
		expect []string
	}{
		{newPod("plain", "1"), []string{"n1", "n2", "n3"}},
		{selecting(newPod("selecting", "1"), "ssd"), []string{"n2"}},
		{tolerant, []string{"n0", "n2"}},
		{affine, []string{"n1", "n3"}},
	} {
		_, hosts, _ := h.decide(test.pod)
		slices.Sort(hosts)
		if !slices.Equal(hosts, test.expect) {
			t.Errorf("%s: %v, expected %v", test.pod.Name, hosts, test.expect)
		}
	}
	_, _, status := h.decide(selecting(newPod("nowhere", "1"), "tape"))
	if status.Code() != fwk.Unschedulable || !strings.Contains(status.Message(), "selectors") {
		t.Errorf("status %v", status)
	}
	if kept := h.refusals.get("ns/nowhere"); kept == nil || kept.Refused != status.Message() {
		t.Errorf("kept %+v", kept)
	}
}

func TestNodesAreDrainedRemovedAndComeBack(t *testing.T) {
	pod := on(newPod("p", "1"), "n0")
	h := newHarness(t, &Args{}, openFleet, newNode("n0", "8"), newNode("n1", "8"), pod)
	ctx, nodes := context.Background(), h.handle.client.CoreV1().Nodes()
	until(t, "the pod is known", func() bool { return h.figures() == figures{"default", false, 2, 1} })
	closed := newNode("n0", "8")
	closed.Spec.Unschedulable = true
	if _, err := nodes.Update(ctx, closed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the node is drained", func() bool { return h.figures().Hosts == 1 })
	if h.figures().Jobs != 1 {
		t.Error("a drained node keeps its pods")
	}
	if err := nodes.Delete(ctx, "n0", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "its pods do not count", func() bool { return h.figures().Jobs == 0 })
	if _, err := nodes.Create(ctx, newNode("n0", "8"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the node and its pod count again", func() bool { return h.figures() == figures{"default", false, 2, 1} })
}

func TestALateDeletionDoesNotForgetTheSuccessor(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(2)...)
	first, second := on(newPod("db-0", "1"), "n0"), on(newPod("db-0", "1"), "n1")
	second.UID = "uid-second"
	h.enterPod(first)
	h.place(second)
	h.removePod(first)
	if jobs := h.figures().Jobs; jobs != 1 {
		t.Fatalf("%d pods", jobs)
	}
	h.removePod(second)
	if jobs := h.figures().Jobs; jobs != 0 {
		t.Errorf("%d pods", jobs)
	}
}

func TestUnreserveForgetsOnlyWhatIsNotBound(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(2)...)
	pod := newPod("p", "1")
	h.place(pod)
	h.Unreserve(context.Background(), newCycle(), pod, "n0")
	h.Unreserve(context.Background(), newCycle(), pod, "n0")
	if h.figures().Jobs != 0 {
		t.Error("it still counts")
	}
	node := h.place(pod)
	h.enterPod(on(pod.DeepCopy(), node))
	h.Unreserve(context.Background(), newCycle(), pod, node)
	if h.figures().Jobs != 1 {
		t.Error("the binding succeeded, though its answer was lost")
	}
}

func TestFinishedAndResizedPods(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNode("n0", "8"))
	pod := on(newPod("p", "7"), "n0")
	h.enterPod(pod)
	if _, hosts, _ := h.decide(newPod("q", "4")); hosts != nil {
		t.Errorf("it does not fit: %v", hosts)
	}
	h.enterPod(on(newPod("p", "2"), "n0"))
	if _, hosts, _ := h.decide(newPod("q", "4")); len(hosts) != 1 {
		t.Error("it fits since the other was resized")
	}
	done := on(newPod("p", "2"), "n0")
	done.Status.Phase = v1.PodSucceeded
	h.enterPod(done)
	if h.figures().Jobs != 0 {
		t.Error("a finished pod counts")
	}
}

func TestPodsOfUnknownNodesCountOnceTheNodeIsKnown(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet)
	h.enterPod(on(newPod("p", "1"), "n0"))
	h.enterNode(newNode("n0", "8"))
	if state := h.figures(); state.Jobs != 1 || state.Hosts != 1 {
		t.Errorf("state %+v", state)
	}
}

func TestScoresFollowTheOrder(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(4)...)
	state, hosts, _ := h.decide(newPod("p", "1"))
	if status := h.PreScore(context.Background(), state, nil, nil); !status.IsSuccess() {
		t.Error(status)
	}
	var scores []int64
	for _, host := range append(hosts, "other") {
		score, _ := h.Score(context.Background(), state, nil, nodeInfo{node: newNode(host, "8")})
		scores = append(scores, score)
	}
	if !slices.Equal(scores, []int64{100, 75, 50, 25, 0}) {
		t.Errorf("scores %v", scores)
	}
}

func TestOthersMayRefuseNodes(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(40)...)
	pod := newPod("p", "1")
	seen := map[string]bool{}
	// The policy names eight at once.
	for round, expect := range []int{8, 32} {
		state, hosts, _ := h.decide(pod)
		if len(hosts) != expect {
			t.Fatalf("round %d: %d nodes", round, len(hosts))
		}
		for _, host := range hosts {
			if seen[host] {
				t.Errorf("%s was refused before", host)
			}
			seen[host] = true
		}
		if result, status := h.PostFilter(context.Background(), state, pod, nil); !status.IsSuccess() || result != nil {
			t.Errorf("round %d: %v, %v", round, result, status)
		}
		if !h.handle.wasActivated("ns/p") {
			t.Error("the pod is not tried again")
		}
	}
	state, hosts, status := h.decide(pod)
	if len(hosts) != 0 || status.Code() != fwk.Unschedulable || !strings.Contains(status.Message(), "other plugins refused") {
		t.Errorf("nothing is left: %v, %v", hosts, status)
	}
	if _, status := h.PostFilter(context.Background(), state, pod, nil); status.Code() != fwk.Unschedulable {
		t.Errorf("the others may preempt: %v", status)
	}
	if _, hosts, _ := h.decide(pod); len(hosts) != 8 {
		t.Error("the next attempt begins with all nodes")
	}
}

func TestBadAnnotationsCannotBeScheduled(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(1)...)
	_, _, status := h.decide(annotated(newPod("p", "2"), levelAnnotation, "gold"))
	if status.Code() != fwk.UnschedulableAndUnresolvable || !strings.Contains(status.Message(), "'gold'") {
		t.Errorf("status %v", status)
	}
}

func TestPodsOfDaemonSetsAreLeftToTheOthers(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(2)...)
	forged := func(version string) *v1.Pod {
		pod := ofDaemonSet(newPod("d", "1"), "n1")
		pod.OwnerReferences[0].APIVersion = version
		return pod
	}
	several := ofDaemonSet(newPod("d", "1"), "n1")
	required := several.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	required.NodeSelectorTerms = append(required.NodeSelectorTerms, v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{
		{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"n0"}},
	}})
	for name, test := range map[string]struct {
		pod    *v1.Pod
		expect int
	}{
		"as its controller makes it": {ofDaemonSet(newPod("d", "1"), "n1"), 0},
		"of another API":             {forged("apps/v2"), 1},
		"of no API":                  {forged(""), 1},
		"an owner alone":             {owned(newPod("d", "1"), "DaemonSet", "agent"), 2},
		"an affinity alone":          {toNode(newPod("d", "1"), "n1"), 1},
		"one of several nodes":       {several, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if _, hosts, status := h.decide(test.pod); len(hosts) != test.expect || !status.IsSuccess() {
				t.Errorf("%v, %v; expected %d nodes", hosts, status, test.expect)
			}
		})
	}
}

// keepBindings keeps what is bound.
func keepBindings(h *harness) *[]*v1.Binding {
	bindings := &[]*v1.Binding{}
	h.handle.client.PrependReactor("create", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		*bindings = append(*bindings, action.(k8stesting.CreateAction).GetObject().(*v1.Binding))
		return true, nil, nil
	})
	return bindings
}

func TestABindingHasAsMuchOfTheDecisionAsIsAllowed(t *testing.T) {
	for name, expect := range map[string]string{annotateNone: "", "": "n1", annotateBrief: "n1", annotateFull: "n0 n1 n2"} {
		t.Run("annotate "+name, func(t *testing.T) {
			h := newHarness(t, &Args{Annotate: name}, openFleet, newNodes(3)...)
			bindings := keepBindings(h)
			pod := newPod("p", "1")
			state, _, _ := h.decide(pod)
			if status := h.Bind(context.Background(), state, pod, "n1"); !status.IsSuccess() {
				t.Fatal(status)
			}
			text := (*bindings)[0].Annotations[decisionAnnotation]
			if expect == "" {
				if text != "" {
					t.Errorf("it is written: %s", text)
				}
				return
			}
			var decision map[string]any
			if err := json.Unmarshal([]byte(text), &decision); err != nil {
				t.Fatal(err)
			}
			var hosts []string
			for _, candidate := range decision["candidates"].([]any) {
				hosts = append(hosts, candidate.(map[string]any)["host"].(string))
			}
			slices.Sort(hosts)
			if strings.Join(hosts, " ") != expect || decision["host"] != "n1" {
				t.Errorf("%s; expected the candidates %s", text, expect)
			}
			for _, field := range briefly {
				if _, is := decision[field]; !is {
					t.Errorf("%s has no %s", text, field)
				}
			}
		})
	}
}

func TestALongPodIsBoundWithoutTheDecision(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(1)...)
	bindings := keepBindings(h)
	for i, bytes := range []int{annotationBytesMax - 10_000, annotationBytesMax - 100} {
		pod := annotated(newPod("p", "1"), "long", strings.Repeat("x", bytes))
		state, _, _ := h.decide(pod)
		if status := h.Bind(context.Background(), state, pod, "n0"); !status.IsSuccess() {
			t.Fatal(status)
		}
		if is := (*bindings)[i].Annotations != nil; is != (i == 0) {
			t.Errorf("next to %d bytes, it is written: %t", bytes, is)
		}
	}
}

func TestABindingHasTheDecision(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(2)...)
	bindings := keepBindings(h)
	pod := newPod("p", "1")
	state, hosts, _ := h.decide(pod)
	for i, node := range []string{hosts[0], hosts[1]} {
		if status := h.Bind(context.Background(), state, pod, node); !status.IsSuccess() {
			t.Fatal(status)
		}
		var decision struct {
			Host       string `json:"host"`
			Policy     string `json:"policy"`
			Candidates []any  `json:"candidates"`
		}
		if err := json.Unmarshal([]byte((*bindings)[i].Annotations[decisionAnnotation]), &decision); err != nil {
			t.Fatal(err)
		}
		if decision.Host != node || decision.Policy != "default" || len(decision.Candidates) == 0 ||
			(*bindings)[i].Target.Name != node || (*bindings)[i].UID != pod.UID {
			t.Errorf("%+v of %+v", decision, (*bindings)[i])
		}
	}
	if status := h.Bind(context.Background(), newCycle(), pod, "n0"); !status.IsSuccess() || (*bindings)[2].Annotations != nil {
		t.Error("without a decision, there is a binding without one")
	}
}

func TestPolicies(t *testing.T) {
	h := newHarness(t, policyArgs(), openFleet)
	maps := h.handle.client.CoreV1().ConfigMaps("system")
	events := h.handle.recorder
	ctx := context.Background()
	until(t, "the missing one is reported", func() bool { return events.find("placement Warning PolicyMissing") != "" })
	if h.figures().Policy != "default" {
		t.Errorf("%+v", h.figures())
	}
	h.refusals.note(newPod("waiting", "1"), "no", nil, time.Now())
	if _, err := maps.Create(ctx, policyMap("policy: first\nextends: load-aware\n"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the policy is used", func() bool { return h.figures().Policy == "first" || h.policy().Name == "first" })
	until(t, "waiting pods are tried again", func() bool { return h.handle.wasActivated("ns/waiting") })
	if window := h.policy().WindowMs; window == nil || *window != 300_000 {
		t.Errorf("window %v", window)
	}
	if _, err := maps.Update(ctx, policyMap("policy: second\nextends: pack\nprefer: {free: 900}\n"), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the broken one is reported", func() bool { return events.find("placement Warning PolicyRefused the policy 'first' stays") != "" })
	if h.policy().Name != "first" {
		t.Error("a broken policy is used")
	}
	if _, err := maps.Update(ctx, policyMap("policy: third\nextends: pack\n"), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the third is used", func() bool { return h.figures().Policy == "third" })
	if err := maps.Delete(ctx, "placement", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the built-in one is used", func() bool { return h.figures().Policy == "default" })
}

func TestRequestsAreAnswered(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet, newNodes(1)...)
	h.place(newPod("p", "1"))
	h.decide(newPod("large", "64"))
	server := httptest.NewServer(h.routes())
	defer server.Close()
	for path, expect := range map[string]string{
		"/trace": `"job":"ns/p"`, "/state": `"jobs":1`, "/decisions?pod=ns/large": "has too few CPUs", "/decisions": "which pod?",
		"/decisions?pod=ns/p": "was not refused lately",
	} {
		request := httptest.NewRequest("GET", path, nil)
		answer := httptest.NewRecorder()
		h.routes().ServeHTTP(answer, request)
		if !strings.Contains(answer.Body.String(), expect) {
			t.Errorf("%s: %s", path, answer.Body)
		}
	}
	answer := httptest.NewRecorder()
	h.routes().ServeHTTP(answer, httptest.NewRequest("POST", "/state", nil))
	if answer.Code != 405 {
		t.Errorf("POST: %d", answer.Code)
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	kept := newRefusals()
	for i := range refusalsMax + 5 {
		kept.note(newPod(fmt.Sprintf("p%d", i), "1"), "no", nil, time.Now())
	}
	if len(kept.of) != refusalsMax || len(kept.order) != refusalsMax || kept.get("ns/p4") != nil || kept.get("ns/p5") == nil {
		t.Errorf("%d are kept", len(kept.of))
	}
	successor := newPod("p5", "1")
	successor.UID = "another"
	kept.remove(successor)
	if kept.get("ns/p5") == nil {
		t.Error("another pod of its name is not it")
	}
}

func TestStalePredictionsAreReportedOnce(t *testing.T) {
	h := newHarness(t, &Args{}, openFleet)
	h.setStale(true)
	h.setStale(true)
	count := 0
	for _, event := range h.handle.recorder.events {
		if strings.Contains(event, "PredictionsStale") {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d events", count)
	}
}

func TestHintsBringTheFleetUpToDate(t *testing.T) {
	there := on(newPod("there", "2"), "n0")
	h := newHarness(t, &Args{}, openFleet, append(newNodes(1), there)...)
	waiting, gone := newPod("waiting", "8"), on(newPod("gone", "4"), "n0")
	h.enterPod(gone)
	for _, test := range []struct {
		hint   func() (fwk.QueueingHint, error)
		expect fwk.QueueingHint
	}{
		{func() (fwk.QueueingHint, error) { return h.endMayHelp(h.logger, waiting, gone, nil) }, fwk.Queue},
		// An event that comes after the end.
		{func() (fwk.QueueingHint, error) { return h.updateMayHelp(h.logger, waiting, gone, gone) }, fwk.Queue},
		// A binding of a pod that is there failed.
		{func() (fwk.QueueingHint, error) { return h.endMayHelp(h.logger, waiting, there, nil) }, fwk.Queue},
		{func() (fwk.QueueingHint, error) { return h.endMayHelp(h.logger, waiting, newPod("unplaced", "1"), nil) }, fwk.QueueSkip},
		{func() (fwk.QueueingHint, error) { return h.updateMayHelp(h.logger, waiting, waiting, waiting) }, fwk.Queue},
		{func() (fwk.QueueingHint, error) { return h.nodeMayHelp(h.logger, waiting, nil, newNode("n9", "8")) }, fwk.Queue},
	} {
		if hint, _ := test.hint(); hint != test.expect {
			t.Errorf("hint %v, expected %v", hint, test.expect)
		}
		if state := h.figures(); state.Jobs != 1 || state.Hosts != 1 {
			t.Errorf("state %+v", state)
		}
	}
}

// windowed is a desk whose policy has short windows, and which keeps what is observed.
type windowed struct {
	desk
	observed chan observeRequest
}

const shortWindowMs = 100

func (w windowed) Call(name string, fields, answer any) error {
	err := w.desk.Call(name, fields, answer)
	if policy, is := answer.(*policyAnswer); is {
		window := uint64(shortWindowMs)
		policy.WindowMs = &window
	}
	if request, is := fields.(observeRequest); is {
		select {
		case w.observed <- request:
		default:
		}
	}
	return err
}

func TestEachWindowIsObserved(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end := r.URL.Query().Get("end")
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[
			{"metric":{"namespace":"ns","pod":"p"},"values":[[%s,"0.5"]]},{"metric":{"namespace":"ns","pod":"unknown"},"values":[[%s,"5"]]}]}}`, end, end)
	}))
	defer server.Close()
	observed := make(chan observeRequest, 2)
	open := func() (desk, error) {
		real, err := openFleet()
		return windowed{real, observed}, err
	}
	args := &Args{Loads: &LoadsArgs{Prometheus: &PrometheusArgs{URL: server.URL}}}
	newHarness(t, args, open, append(newNodes(1), on(newPod("p", "1"), "n0"))...)
	first, second := <-observed, <-observed
	if first.EndedMs%shortWindowMs != 0 || second.EndedMs%shortWindowMs != 0 || second.EndedMs <= first.EndedMs {
		t.Errorf("windows ended at %d and %d", first.EndedMs, second.EndedMs)
	}
	if !same(first.Jobs, map[string]observedLoad{"ns/p": {500, 500}}) || !same(first.Hosts, map[string]uint32{"n0": 500}) {
		t.Errorf("observed %+v", first)
	}
}
