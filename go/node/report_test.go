package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A tree is a made-up /proc and /sys.
type tree struct {
	t    *testing.T
	root string
	pid  int
}

func (f *tree) write(path, text string) {
	f.t.Helper()
	path = filepath.Join(f.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *tree) process(name string, parent int, groups string, threads ...string) {
	f.pid++
	for at, cpus := range threads {
		status := fmt.Sprintf("Name:\t%s\nPPid:\t%d\nCpus_allowed:\tffff\nCpus_allowed_list:\t%s\n", name, parent, cpus)
		if at == 0 {
			f.write(fmt.Sprintf("proc/%d/status", f.pid), status)
		}
		f.write(fmt.Sprintf("proc/%d/task/%d/status", f.pid, f.pid+1000*at), status)
	}
	f.write(fmt.Sprintf("proc/%d/cgroup", f.pid), groups)
}

func id(letter string) string { return strings.Repeat(letter, 64) }

// smallTree has small's CPUs: cores 0-7 in two NUMA nodes, with siblings 8-15.
func smallTree(t *testing.T, version int) *tree {
	tree := &tree{t: t, root: t.TempDir()}
	for cpu := range 16 {
		node := cpu % 8 / 4
		at := fmt.Sprintf("sys/devices/system/cpu/cpu%d/", cpu)
		tree.write(at+"topology/thread_siblings_list", fmt.Sprintf("%d,%d\n", cpu%8, cpu%8+8))
		tree.write(at+"topology/package_cpus_list", "0-15\n")
		tree.write(at+"cache/index3/shared_cpu_list", fmt.Sprintf("%d-%d,%d-%d\n", node*4, node*4+3, node*4+8, node*4+11))
	}
	tree.write("sys/devices/system/cpu/online", "0-15\n")
	tree.write("sys/devices/system/node/node0/cpulist", "0-3,8-11\n")
	tree.write("sys/devices/system/node/node1/cpulist", "4-7,12-15\n")
	tree.process("systemd", 0, "0::/init.scope\n", "0-15")
	tree.process("kthreadd", 0, "0::/\n", "0-15")
	tree.process("kworker/3:0", 2, "0::/\n", "3")
	return tree
}

func (f *tree) container(version int, letter, uid, cpus string, threads ...string) {
	path := "/kubepods.slice/kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/cri-containerd-" + id(letter) + ".scope"
	groups := "0::" + path + "\n"
	if version == 1 {
		path = "/kubepods/pod" + uid + "/" + id(letter)
		groups = "5:cpu,cpuacct:/elsewhere\n4:cpuset:" + path + "\n0::/\n"
		f.write("sys/fs/cgroup/cpuset"+path+"/cpuset.cpus", cpus+"\n")
	} else {
		f.write("sys/fs/cgroup"+path+"/cpuset.cpus.effective", cpus+"\n")
		f.write("sys/fs/cgroup"+path+"/cpuset.cpus.partition", "member\n")
	}
	f.process("work", 1, groups, threads...)
}

func uid(number int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012d", number) }

func smallTable() *Table {
	entry := func(number int, letter, way, cpus string) Expected {
		return Expected{Pod: Pod{Namespace: "ns", Name: fmt.Sprint("p", number), UID: uid(number)}, Container: "main", ID: id(letter), Way: way, CPUs: cpus, Within: "machine"}
	}
	return &Table{Schema: TableSchema, Reserved: "0", Shared: "0-1,4-9,12-15", Containers: []Expected{
		entry(1, "a", wayNRI, "2-3"), entry(2, "b", wayShared, "")}}
}

func TestTheReport(t *testing.T) {
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("control groups of version ", version), func(t *testing.T) {
			tree := smallTree(t, version)
			tree.container(version, "a", uid(1), "2-3", "2-3", "2")
			tree.container(version, "b", uid(2), "0-1,4-9,12-15", "0-1,4-9,12-15")
			report := measure(t, tree, smallTable(), nil)
			if !report.AllRight() {
				t.Errorf("problems: %+v", report)
			}
			timed := report.Containers[0]
			expected := ReportContainer{Pod: Pod{Namespace: "ns", Name: "p1", UID: uid(1)}, Container: "main", ID: id("a"), Way: wayNRI, ExpectedCPUs: "2-3",
				CPUs: "2-3", GroupVersion: version, ThreadCPUs: []string{"2", "2-3"}, Siblings: "10-11", L3Domains: "0", NUMANodes: "0",
				SharedWith: []string{}, SiblingsUsedBy: []string{}, HostProcesses: 1, Problems: []string{}}
			if fmt.Sprintf("%+v", timed) != fmt.Sprintf("%+v", expected) {
				t.Errorf("found\n%+v, expected\n%+v", timed, expected)
			}
		})
	}
}

func measure(t *testing.T, tree *tree, table *Table, pods map[string]KnownPod) Report {
	t.Helper()
	machine, err := ReadMachine(tree.root)
	if err != nil {
		t.Fatal(err)
	}
	report, err := MakeReport(ReportInput{Node: "n", Root: tree.root, KubeletRoot: filepath.Join(tree.root, "kubelet"), Machine: machine, Table: table, Pods: pods})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestWhatIsNotWhereItShouldBe(t *testing.T) {
	tree := smallTree(t, 2)
	tree.container(2, "a", uid(1), "2-3,5", "2-3", "7")
	tree.container(2, "b", uid(2), "0-15", "0-15")
	report := measure(t, tree, smallTable(), nil)
	var text bytes.Buffer
	if err := report.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	expected := `CONTAINER   WAY     CPUS   EXPECTED       SIBLINGS  L3   NUMA  OTHERS  HOST  BETTER
ns/p1/main  nri     2-3,5  2-3            10-11,13  0-1  0-1   1       1     -
ns/p2/main  shared  0-15   0-1,4-9,12-15  -         0-1  0-1   1       1     -
ns/p1/main: its control group has CPUs 2-3,5, expected 2-3
ns/p1/main: a thread may run on CPUs 7, which its control group does not have
ns/p1/main: other containers may run on its CPUs: ns/p2/main
ns/p1/main: other containers may run on the siblings 10-11,13 of its CPUs: ns/p2/main
ns/p2/main: its control group has CPUs 0-15, expected 0-1,4-9,12-15
`
	if text.String() != expected {
		t.Errorf("table:\n%s", text.String())
	}
	if report.AllRight() {
		t.Error("all is right")
	}
}

func TestOtherWaysToHaveCPUs(t *testing.T) {
	tree := smallTree(t, 2)
	tree.write("kubelet/cpu_manager_state", `{"policyName":"static","entries":{"`+uid(1)+`":{"main":"2,10"}}}`)
	tree.container(2, "a", uid(1), "2,10", "2,10")
	tree.container(2, "b", uid(2), "6-7", "6-7")
	tree.container(2, "c", uid(2), "0-15", "0-15")
	pods := map[string]KnownPod{
		uid(1): {Pod: Pod{"ns", "static", uid(1)}, Containers: map[string]string{id("a"): "main"}},
		uid(2): {Pod: Pod{"ns", "dra", uid(2)}, HasClaims: true, Containers: map[string]string{id("b"): "main"}},
	}
	// The third is a pod's pause container, which runs nothing.
	tree.write("proc/6/status", "Name:\tpause\nPPid:\t1\nCpus_allowed_list:\t0-15\n")
	report := measure(t, tree, nil, pods)
	found := []string{}
	for _, container := range report.Containers {
		found = append(found, strings.Join([]string{container.Way, container.Pod.Name, container.CPUs, container.ExpectedCPUs}, " "))
	}
	if !slices.Equal(found, []string{"dra dra 6-7 6-7", "kubelet-static static 2,10 2,10"}) || !report.AllRight() {
		t.Errorf("found %q, problems %+v", found, report)
	}
	if report := measure(t, tree, smallTable(), pods); !slices.ContainsFunc(report.Problems, func(p string) bool { return strings.Contains(p, "has policy 'static'") }) {
		t.Errorf("problems %q", report.Problems)
	}
}

func TestPartitions(t *testing.T) {
	tree := smallTree(t, 2)
	tree.container(2, "a", uid(1), "2-3", "2-3")
	tree.container(2, "b", uid(2), "0-1,4-9,12-15", "0-1,4-9,12-15")
	machine, err := ReadMachine(tree.root)
	if err != nil {
		t.Fatal(err)
	}
	input := ReportInput{Root: tree.root, KubeletRoot: tree.root, Machine: machine, Table: smallTable(), Partition: true}
	report, err := MakeReport(input)
	if err != nil || report.Containers[0].Partition != isolated || !report.AllRight() {
		t.Errorf("%v, %+v", err, report)
	}
	// A plain file keeps the kernel's refusal only if it cannot be written.
	path, err := filepath.Glob(filepath.Join(tree.root, "sys/fs/cgroup/kubepods.slice/*/*/cpuset.cpus.partition"))
	if err != nil || len(path) != 2 {
		t.Fatal(path, err)
	}
	container := runningContainer{version: 2, partition: "isolated invalid (Parent is not a partition root)", folder: filepath.Join(tree.root, "none")}
	if text := makePartition(&container); !strings.HasPrefix(text, "not set: no such file") {
		t.Errorf("partition: %s", text)
	}
	if text := makePartition(&runningContainer{version: 1}); !strings.Contains(text, "without cpuset.cpus.partition") {
		t.Errorf("partition: %s", text)
	}
}

func TestABetterChoice(t *testing.T) {
	tree := smallTree(t, 2)
	tree.container(2, "a", uid(1), "3-4", "3-4")
	table := smallTable()
	table.Containers[0].CPUs, table.Containers[0].MayMove = "3-4", true
	machine, err := MachineFromXML(small.hwloc())
	if err != nil {
		t.Fatal(err)
	}
	better, err := BetterFrom(*table, machine, OpenDesk)
	if err != nil {
		t.Fatal(err)
	}
	report, err := MakeReport(ReportInput{Root: tree.root, KubeletRoot: tree.root, Machine: machine, Table: table, Better: better})
	if err != nil || report.Containers[0].Better == nil {
		t.Fatalf("%v, %+v", err, report)
	}
	cpus, err := ParseCPUs(report.Containers[0].Better.CPUs)
	if err != nil || len(machine.NUMAOf(cpus)) != 1 {
		t.Errorf("better %+v, %v", report.Containers[0].Better, err)
	}
}

func TestBothReadersOfTheTopologyAgree(t *testing.T) {
	tree := smallTree(t, 2)
	read, err := ReadMachine(tree.root)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := MachineFromXML(small.hwloc())
	if err != nil {
		t.Fatal(err)
	}
	if read.Fingerprint() != parsed.Fingerprint() {
		t.Errorf("found %+v and %+v", read, parsed)
	}
}

func TestTheTableFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "table.json")
	if table, err := ReadTableFile(path); err != nil || table != nil {
		t.Errorf("%v, %v", table, err)
	}
	if err := WriteTableFile(path, *smallTable()); err != nil {
		t.Fatal(err)
	}
	table, err := ReadTableFile(path)
	if err != nil || len(table.Containers) != 2 || table.Containers[0].CPUs != "2-3" {
		t.Errorf("%+v, %v", table, err)
	}
}

// The agent's whole way: pods are listed, the report and the node's annotations are applied, an event is sent once.
func TestTheAgentAndTheAPI(t *testing.T) {
	tree := smallTree(t, 2)
	tree.container(2, "a", uid(1), "2-3", "2-3")
	requests := make(chan string, 16)
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		requests <- request.Method + " " + request.URL.String() + " " + request.Header.Get("Content-Type") + " " + string(body)
		if request.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("authorization '%s'", request.Header.Get("Authorization"))
		}
		fmt.Fprintf(to, `{"items":[{"metadata":{"namespace":"ns","name":"p","uid":"%s"},"spec":{"resourceClaims":[{"name":"cpu"}]},`+
			`"status":{"containerStatuses":[{"name":"main","containerID":"containerd://%s"}]}}]}`, uid(1), id("a"))
	}))
	defer server.Close()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	client := newAPI(server.URL, "n1", "tauto", func() (string, error) { return "secret", nil }, server.Client(), quiet)
	runtime := newRuntime(t, small, "0")
	agent := &Agent{Node: "n1", Root: tree.root, KubeletRoot: tree.root, Plugin: runtime.plugin, API: client,
		TableFile: filepath.Join(tree.root, "table.json"), Log: quiet}
	for range 2 {
		if err := agent.once(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if listed := <-requests; !strings.HasPrefix(listed, "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1&limit=500&resourceVersion=0 ") {
		t.Errorf("asked %s", listed)
	}
	applied := <-requests
	prefix := "PATCH /api/v1/namespaces/tauto/configmaps/tauto-node-n1?fieldManager=tauto-node&force=true application/apply-patch+yaml "
	var object struct {
		Data map[string]string `json:"data"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(applied, prefix)), &object); err != nil {
		t.Fatalf("%v in %s", err, applied)
	}
	var report Report
	if err := json.Unmarshal([]byte(object.Data["report.json"]), &report); err != nil || report.Containers[0].Way != wayDRA {
		t.Errorf("%+v, %v", report, err)
	}
	if node := <-requests; !strings.Contains(node, `PATCH /api/v1/nodes/n1?`) || !strings.Contains(node, `"fleet.tautochrone.dev/numa-nodes":"2","fleet.tautochrone.dev/threads":"2"`) {
		t.Errorf("asked %s", node)
	}
	// The second time nothing has changed.
	if again := <-requests; !strings.HasPrefix(again, "GET ") || len(requests) != 0 {
		t.Errorf("asked %s and %d more", again, len(requests))
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	for range 3 {
		client.Warn(Pod{Namespace: "ns", Name: "p", UID: uid(1)}, "NoWholeCores", strings.Repeat("x", 2000))
	}
	client.Warn(Pod{Namespace: "ns", Name: "p", UID: uid(1)}, "CoresGone", "last")
	client.WarnNode("NotSynchronized", "why")
	go func() { client.SendEvents(ctx); close(done) }()
	if sent := <-requests; !strings.Contains(sent, "POST /api/v1/namespaces/ns/events ") || !strings.Contains(sent, `"reason":"NoWholeCores"`) {
		t.Errorf("sent %s", sent)
	}
	if sent := <-requests; !strings.Contains(sent, `"reason":"CoresGone"`) {
		t.Errorf("sent %s", sent)
	}
	if sent := <-requests; !strings.Contains(sent, "POST /api/v1/namespaces/default/events ") || !strings.Contains(sent, `"involvedObject":{"apiVersion":"v1","kind":"Node","name":"n1","uid":"n1"}`) {
		t.Errorf("sent %s", sent)
	}
	cancel()
	<-done
}

// A container with very many different threads, and one whose process is in 65,536 groups.
func TestThreadsDoNotMakeAReportLarge(t *testing.T) {
	tree := smallTree(t, 2)
	threads := []string{"2-3"}
	for first := range 8 {
		for last := first; last < 8; last++ {
			threads = append(threads, fmt.Sprintf("%d-%d", first, last))
		}
	}
	tree.container(2, "a", uid(1), "2-3", threads...)
	tree.container(2, "b", uid(2), "0-1,4-9,12-15", "0-1,4-9,12-15")
	status := fmt.Sprintf("Name:\twork\nPPid:\t1\nGroups:\t%s\nCpus_allowed_list:\t0-1\n", strings.Repeat("4294967000 ", 65536))
	tree.write(fmt.Sprintf("proc/%d/status", tree.pid), status)
	tree.write(fmt.Sprintf("proc/%d/task/%d/status", tree.pid, tree.pid), status)
	report := measure(t, tree, smallTable(), nil)
	if len(report.Containers) != 2 {
		t.Fatalf("found %+v", report)
	}
	timed := report.Containers[0]
	// The container's own set comes again among the 36.
	if len(timed.ThreadCPUs) != threadSetsMax || timed.MoreThreads != 36-threadSetsMax {
		t.Errorf("%d sets and %d more threads", len(timed.ThreadCPUs), timed.MoreThreads)
	}
	if !strings.Contains(strings.Join(timed.Problems, "; "), "more threads may run on CPUs 0-1,4-7, which its control group does not have") {
		t.Errorf("problems %q", timed.Problems)
	}
	if found := report.Containers[1].ThreadCPUs; !slices.Equal(found, []string{"0-1"}) {
		t.Errorf("threads %q", found)
	}
}

func TestAnExpectedContainerWithoutAProcess(t *testing.T) {
	tree := smallTree(t, 2)
	tree.container(2, "a", uid(1), "2-3", "2-3")
	report := measure(t, tree, smallTable(), nil)
	if len(report.Problems) != 1 || !strings.Contains(report.Problems[0], "these containers, which the plugin expects to run: ns/p2/main") {
		t.Errorf("problems %q", report.Problems)
	}
	table := smallTable()
	table.Containers[1].Starting = true
	if report := measure(t, tree, table, nil); !report.AllRight() {
		t.Errorf("problems %q", report.Problems)
	}
	table = smallTable()
	table.Problem = "no list"
	machine, err := ReadMachine(tree.root)
	if err != nil {
		t.Fatal(err)
	}
	report, err = MakeReport(ReportInput{Root: tree.root, KubeletRoot: tree.root, Machine: machine, Table: table, IsGone: func(gone string) bool { return gone == id("b") }})
	if err != nil || !slices.Equal(report.Problems, []string{"no list"}) {
		t.Errorf("problems %q, %v", report.Problems, err)
	}
}

func TestAReportThatIsTooLarge(t *testing.T) {
	published := make(chan []byte, 2)
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		published <- body
		fmt.Fprint(to, "{}")
	}))
	defer server.Close()
	client := newAPI(server.URL, "n1", ReportNamespace, func() (string, error) { return "", nil }, server.Client(), slog.New(slog.NewTextHandler(io.Discard, nil)))
	report := Report{Containers: []ReportContainer{{ID: strings.Repeat("x", reportMax)}}, Problems: slices.Repeat([]string{"problem"}, 100)}
	if err := client.Publish(context.Background(), report, Machine{}); err != nil {
		t.Fatal(err)
	}
	var object struct {
		Metadata map[string]string `json:"metadata"`
		Data     map[string]string `json:"data"`
	}
	if err := json.Unmarshal(<-published, &object); err != nil {
		t.Fatal(err)
	}
	var short Report
	if err := json.Unmarshal([]byte(object.Data["report.json"]), &short); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(object.Data["report.json"], `"containers":[]`) || len(short.Problems) != problemsMax+1 || !strings.Contains(short.Problems[problemsMax], "too many for a ConfigMap") {
		t.Errorf("published %s", object.Data["report.json"])
	}
	if object.Metadata["namespace"] != "tautochrone-nodes" {
		t.Errorf("in %v", object.Metadata)
	}
}

func TestPodsInSeveralAnswers(t *testing.T) {
	queries := []string{}
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, request *http.Request) {
		queries = append(queries, request.URL.RawQuery)
		fmt.Fprint(to, []string{`{"metadata":{"continue":"more"}}`, `{}`}[len(queries)-1])
	}))
	defer server.Close()
	client := newAPI(server.URL, "n1", "", func() (string, error) { return "", nil }, server.Client(), slog.New(slog.NewTextHandler(io.Discard, nil)))
	if _, err := client.Pods(context.Background()); err != nil {
		t.Fatal(err)
	}
	expected := []string{"fieldSelector=spec.nodeName%3Dn1&limit=500&resourceVersion=0", "continue=more&fieldSelector=spec.nodeName%3Dn1&limit=500"}
	if !slices.Equal(queries, expected) {
		t.Errorf("asked %q", queries)
	}
}

func TestTwoPluginsOnOneNode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "containers.json")
	first, err := LockTable(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockTable(path); err == nil || !strings.Contains(err.Error(), "another tauto-node runs on this node") || strings.Contains(err.Error(), "\n") {
		t.Errorf("locked: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := LockTable(path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
