package scheduler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/metrics/pkg/apis/metrics/v1beta1"
	metricsfake "k8s.io/metrics/pkg/client/clientset/versioned/fake"
)

func window() (time.Time, time.Time) {
	to := time.UnixMilli(1_700_000_000_000)
	return to.Add(-5 * time.Minute), to
}

func facts(from time.Time) map[string]podFacts {
	pods := map[string]podFacts{}
	for i := range 10 {
		pods[fmt.Sprintf("ns/p%d", i)] = podFacts{
			node: fmt.Sprintf("n%d", i%2), nodeMilli: 8000, limitMilli: 1000, isStandard: i != 9, startedLast: from.Add(-time.Hour),
		}
	}
	return pods
}

func samplesOf(pods map[string]podFacts, milli ...float64) []sample {
	var samples []sample
	for _, value := range milli {
		one := sample{}
		for name := range pods {
			one[name] = value
		}
		samples = append(samples, one)
	}
	return samples
}

func TestWindowsAreSummarized(t *testing.T) {
	from, to := window()
	pods := facts(from)
	late := pods["ns/p0"]
	late.startedLast = from.Add(time.Second)
	pods["ns/p0"] = late
	samples := samplesOf(pods, 100, 300)
	delete(samples[0], "ns/p1")
	samples[1]["other/pod"] = 50
	result, err := summarize(samples, pods, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := result.jobs["ns/p0"]; is || len(result.jobs) != 9 {
		t.Errorf("jobs %v: one did not run in all of the window", result.jobs)
	}
	if result.jobs["ns/p2"] != (observedLoad{200, 300}) || result.jobs["ns/p1"] != (observedLoad{300, 300}) {
		t.Errorf("jobs %v", result.jobs)
	}
	// Five pods on n0; on n1 five, of which one is not standard.
	if result.hosts["n0"] != 1500 || result.hosts["n1"] != 1200 {
		t.Errorf("hosts %v", result.hosts)
	}
}

func TestImpossibleLoadsAreLeftOut(t *testing.T) {
	from, to := window()
	pods := facts(from)
	samples := samplesOf(pods, 500, 500)
	samples[0]["ns/p0"], samples[1]["ns/p1"], samples[1]["ns/p2"] = 1201, math.NaN(), -1
	result, err := summarize(samples, pods, from, to)
	if err != nil || result.impossible != 3 || len(result.jobs) != 7 {
		t.Errorf("%v, %+v", err, result)
	}
	samples[0]["ns/p3"] = 1e6
	if result, err = summarize(samples, pods, from, to); err == nil || len(result.jobs) != 0 {
		t.Errorf("4 of 10 are impossible: %v, %+v", err, result)
	}
}

func TestLoadsThatAreTenTimesTooHighDoNoHarm(t *testing.T) {
	from, to := window()
	pods := facts(from)
	if _, err := summarize(samplesOf(pods, 5000), pods, from, to); err == nil {
		t.Error("pods with limits: the window is used")
	}
	for name, facts := range pods {
		facts.limitMilli = 0
		pods[name] = facts
	}
	if _, err := summarize(samplesOf(pods, 5000), pods, from, to); err == nil {
		t.Error("pods without limits, on nodes that have too little for all of them: the window is used")
	}
	if _, err := summarize(samplesOf(pods, 1500), pods, from, to); err != nil {
		t.Error(err)
	}
}

func TestWindowsEndAtMultiples(t *testing.T) {
	end := windowEnd(time.UnixMilli(600_001), 5*time.Minute)
	if end.UnixMilli() != 900_000 || windowEnd(end, 5*time.Minute).UnixMilli() != 1_200_000 {
		t.Errorf("the window ends at %d", end.UnixMilli())
	}
}

func TestPrometheusIsAsked(t *testing.T) {
	from, to := window()
	body := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path != "/prefix/api/v1/query_range" || query.Get("query") != defaultQuery || query.Get("step") != "30.000" ||
			query.Get("start") != fmt.Sprintf("%d.000", from.Unix()+30) || query.Get("end") != fmt.Sprintf("%d.000", to.Unix()) {
			t.Errorf("asked %s", r.URL)
		}
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	source := newPrometheus(&PrometheusArgs{URL: server.URL + "/prefix", Query: defaultQuery})
	body = fmt.Sprintf(`{"status":"success","data":{"resultType":"matrix","result":[
		{"metric":{"namespace":"ns","pod":"p"},"values":[[%d,"0.25"],[%d,"0.5"],[%d,"1"]]},
		{"metric":{"pod":"p"},"values":[[%d,"9"]]}]}}`, from.Unix()+30, from.Unix()+60, to.Unix(), to.Unix())
	samples, err := source.samples(context.Background(), from, to)
	if err != nil || len(samples) != 10 || samples[0]["ns/p"] != 250 || samples[1]["ns/p"] != 500 || samples[9]["ns/p"] != 1000 {
		t.Errorf("%v, %v", err, samples)
	}
	for _, test := range []struct{ body, expect string }{
		{`{"status":"error","error":"bad query"}`, "bad query"},
		{`{"status":"success","data":{"resultType":"vector","result":[]}}`, "'vector'"},
		{`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"namespace":"ns","pod":"p"},"values":[[1,2]]}]}}`, "no number"},
		{`<html>`, "cannot be read"},
	} {
		body = test.body
		if _, err := source.samples(context.Background(), from, to); err == nil || !strings.Contains(err.Error(), test.expect) {
			t.Errorf("found %v, expected '%s'", err, test.expect)
		}
	}
}

func TestTheMetricsAPIIsSampled(t *testing.T) {
	from, to := window()
	used := int64(100)
	client := &metricsfake.Clientset{}
	client.AddReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		container := func() v1beta1.ContainerMetrics {
			return v1beta1.ContainerMetrics{Usage: v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(used, resource.DecimalSI)}}
		}
		return true, &v1beta1.PodMetricsList{Items: []v1beta1.PodMetrics{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p"}, Containers: []v1beta1.ContainerMetrics{container(), container()},
		}}}, nil
	})
	source := &metricsAPI{client: client}
	if _, err := source.samples(context.Background(), from, to); err == nil {
		t.Error("nothing was sampled")
	}
	for _, after := range []time.Duration{-time.Second, time.Minute, 2 * time.Minute, 6 * time.Minute} {
		if err := source.take(context.Background(), from.Add(after)); err != nil {
			t.Fatal(err)
		}
		used += 100
	}
	samples, err := source.samples(context.Background(), from, to)
	if err != nil || len(samples) != 2 || samples[0]["ns/p"] != 400 || samples[1]["ns/p"] != 600 {
		t.Errorf("%v, %v", err, samples)
	}
	if samples, err := source.samples(context.Background(), to, to.Add(5*time.Minute)); err != nil || len(samples) != 1 {
		t.Errorf("the next window: %v, %v", err, samples)
	}
}

func TestLongResponsesFail(t *testing.T) {
	body := &limited{io.NopCloser(strings.NewReader("0123456789")), 4}
	if read, err := io.ReadAll(body); !errors.Is(err, errTooLong) || len(read) != 4 {
		t.Errorf("read %q, %v", read, err)
	}
}

func TestSmallLimitsMakeNoLoadImpossible(t *testing.T) {
	for _, test := range []struct {
		milli  float64
		limit  uint32
		expect bool
	}{{10, 1, true}, {12, 1, true}, {13, 1, false}, {1200, 1000, true}, {1201, 1000, false}, {8000, 0, true}, {8001, 0, false}} {
		if isPossible(test.milli, podFacts{nodeMilli: 8000, limitMilli: test.limit}) != test.expect {
			t.Errorf("%g with a limit of %d: expected %t", test.milli, test.limit, test.expect)
		}
	}
}

func TestPodsThatJustStartedAreNotCounted(t *testing.T) {
	from, to := window()
	pods := facts(from)
	samples := samplesOf(pods, 500, 500)
	// They have the loads of predecessors, which may have had other limits.
	for i := range 6 {
		name := fmt.Sprintf("ns/p%d", i)
		late := pods[name]
		late.startedLast = from.Add(time.Minute)
		pods[name] = late
		samples[0][name] = 7000
	}
	result, err := summarize(samples, pods, from, to)
	if err != nil || result.impossible != 0 || result.measured != 4 || len(result.jobs) != 4 {
		t.Errorf("%v, %+v", err, result)
	}
	if result.hosts["n0"] != 2500 {
		t.Errorf("hosts %v", result.hosts)
	}
	pod := on(newPod("p", "1"), "n0")
	pod.CreationTimestamp = metav1.NewTime(pod.Status.StartTime.Add(time.Minute))
	h := newHarness(t, &Args{}, openFleet, newNode("n0", "8"), pod)
	if started := h.fleet.runningPods()["ns/p"].startedLast; !started.Equal(pod.CreationTimestamp.Time) {
		t.Errorf("it started at %v, before it was made", started)
	}
}

func TestLongWindowsLeaveOutTheSmallestLoads(t *testing.T) {
	request := observeRequest{EndedMs: 1, AtMs: 2, Jobs: map[string]observedLoad{}, Hosts: map[string]uint32{"n0": 7}}
	for i := range 1000 {
		request.Jobs[fmt.Sprintf("ns/p%d", i)] = observedLoad{MeanMilli: uint32(i), PeakMilli: 2000}
	}
	whole := sizeOf(request)
	for _, most := range []int{whole, whole - 1, whole / 2, 100} {
		fitting := request
		left := fit(&fitting, most)
		if sizeOf(fitting) > most || len(fitting.Jobs) != 1000-left || len(request.Jobs) != 1000 || (left == 0) != (most == whole) {
			t.Errorf("%d bytes: %d are left out, %d bytes", most, left, sizeOf(fitting))
		}
		for i := range 1000 {
			if _, is := fitting.Jobs[fmt.Sprintf("ns/p%d", i)]; is != (i >= left) {
				t.Errorf("%d bytes: pod %d is there: %t", most, i, is)
			}
		}
	}
}

func TestPrometheusLeadsNowhereElse(t *testing.T) {
	from, to := window()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer server.Close()
	source := newPrometheus(&PrometheusArgs{URL: server.URL, Query: defaultQuery})
	if _, err := source.samples(context.Background(), from, to); err == nil || !strings.Contains(err.Error(), "leads elsewhere") || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}
