package node

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// ReportSchema names the report's fields.
const ReportSchema = "tautochrone/node-report/1"

// An Expected container is what the plugin wanted for it.
type Expected struct {
	Pod
	Container   string `json:"container"`
	ID          string `json:"id"`
	Sandbox     string `json:"sandbox"`
	Way         string `json:"way"`
	CPUs        string `json:"cpus"`
	Idle        string `json:"idle"`
	MemoryNodes string `json:"memory_nodes"`
	Within      string `json:"within"`
	MayMove     bool   `json:"may_move"`
	// Starting is true while the runtime creates it.
	Starting bool   `json:"starting,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

// A Table is what the plugin knows, for another process that reports.
type Table struct {
	Schema   string `json:"schema"`
	Reserved string `json:"reserved"`
	Shared   string `json:"shared"`
	// Problem is why the plugin does not know the runtime's containers.
	Problem    string     `json:"problem,omitempty"`
	Containers []Expected `json:"containers"`
}

// A Report is what the containers of a node really have.
type Report struct {
	Schema        string            `json:"schema"`
	Node          string            `json:"node"`
	AtMs          int64             `json:"at_ms"`
	KubeletPolicy string            `json:"kubelet_policy"`
	Online        string            `json:"online"`
	Shared        string            `json:"shared"`
	Containers    []ReportContainer `json:"containers"`
	// HostProcesses are in no container; kernel threads do not count.
	HostProcesses int        `json:"host_processes"`
	Decisions     *Decisions `json:"decisions,omitempty"`
	Problems      []string   `json:"problems"`
}

// Decisions are how long the latest ones took.
type Decisions struct {
	Count    int   `json:"count"`
	MedianNs int64 `json:"median_ns"`
	P99Ns    int64 `json:"p99_ns"`
}

// A ReportContainer is what a container has, against what it should have.
type ReportContainer struct {
	Pod
	Container string `json:"container"`
	ID        string `json:"id"`
	Way       string `json:"way"`
	// ExpectedCPUs is empty where no CPUs are expected in particular.
	ExpectedCPUs string   `json:"expected_cpus"`
	CPUs         string   `json:"cpus"`
	GroupVersion int      `json:"control_group_version"`
	ThreadCPUs   []string `json:"thread_cpus"`
	// MoreThreads have yet other CPUs than the first sets, which ThreadCPUs has.
	MoreThreads    int      `json:"more_threads,omitempty"`
	Siblings       string   `json:"siblings"`
	L3Domains      string   `json:"l3_domains"`
	NUMANodes      string   `json:"numa_nodes"`
	Partition      string   `json:"partition,omitempty"`
	SharedWith     []string `json:"shared_with"`
	SiblingsUsedBy []string `json:"siblings_used_by"`
	HostProcesses  int      `json:"host_processes"`
	Better         *Better  `json:"better"`
	Problems       []string `json:"problems"`
}

// Better are cores that would have been a better choice.
type Better struct {
	CPUs        string   `json:"cpus"`
	MemoryNodes string   `json:"memory_nodes"`
	Reasons     []string `json:"reasons"`
}

// ReportInput is what a report is made from.
type ReportInput struct {
	Node, Root, KubeletRoot string
	AtMs                    int64
	Machine                 Machine
	// Table may be nil: then nothing is known of leases.
	Table *Table
	// Pods of this node by their UID, where there is access to the API.
	Pods map[string]KnownPod
	// Better asks for a better place of a lease.
	Better func(Expected) (*Better, error)
	// Partition makes partitions of containers with whole cores.
	Partition bool
	Decisions *Decisions
	// IsGone reports whether a container of the table has ended since the table was made; it may be nil.
	IsGone func(id string) bool
}

// A KnownPod is what the API server knows of a pod.
type KnownPod struct {
	Pod
	HasClaims bool
	// Containers are names by id.
	Containers map[string]string
}

// MakeReport measures, and compares.
func MakeReport(input ReportInput) (Report, error) {
	report := Report{Schema: ReportSchema, Node: input.Node, AtMs: input.AtMs, Online: input.Machine.Online.String(),
		Decisions: input.Decisions, Containers: []ReportContainer{}, Problems: []string{}}
	kubelet, err := ReadKubeletState(input.KubeletRoot)
	if err != nil {
		return report, err
	}
	report.KubeletPolicy = kubelet.Policy
	if problem := kubelet.Problem(); problem != "" && input.Table != nil {
		report.Problems = append(report.Problems, problem)
	}
	found, err := scanProcesses(input.Root)
	if err != nil {
		return report, err
	}
	report.HostProcesses = len(found.hosts)
	expected := map[string]Expected{}
	if input.Table != nil {
		report.Shared = input.Table.Shared
		if input.Table.Problem != "" {
			report.Problems = append(report.Problems, input.Table.Problem)
		}
		for _, container := range input.Table.Containers {
			expected[container.ID] = container
			if sandbox := found.containers[container.Sandbox]; sandbox != nil {
				sandbox.isSandbox = true
			}
			if running := found.containers[container.ID]; running != nil {
				running.isSandbox = false
			}
		}
	}
	names := map[string]string{}
	for id, running := range found.containers {
		if running.isSandbox {
			continue
		}
		entry := describe(id, running, expected, input, kubelet)
		names[id] = entry.name()
		report.Containers = append(report.Containers, entry)
	}
	slices.SortFunc(report.Containers, func(a, b ReportContainer) int { return strings.Compare(a.name()+a.ID, b.name()+b.ID) })
	for at := range report.Containers {
		compare(&report.Containers[at], found, names, expected, input)
	}
	report.Problems = append(report.Problems, missing(found, input)...)
	return report, nil
}

// missing are containers that the runtime has, as far as the plugin knows, and that have no process.
func missing(found scan, input ReportInput) []string {
	names := []string{}
	if input.Table == nil {
		return names
	}
	for _, container := range input.Table.Containers {
		if found.containers[container.ID] != nil || container.Starting || input.IsGone != nil && input.IsGone(container.ID) {
			continue
		}
		names = append(names, strings.Join([]string{container.Namespace, container.Pod.Name, container.Container}, "/"))
	}
	if len(names) == 0 {
		return names
	}
	slices.Sort(names)
	return []string{"no process is in a control group of these containers, which the plugin expects to run: " + first(names)}
}

// describe finds a container's name, and by which way it got its CPUs.
func describe(id string, running *runningContainer, expected map[string]Expected, input ReportInput, kubelet KubeletState) ReportContainer {
	entry := ReportContainer{ID: id, Way: wayShared, Pod: Pod{UID: running.podUID}, SharedWith: []string{}, SiblingsUsedBy: []string{}, Problems: []string{}}
	pod, isKnown := input.Pods[running.podUID]
	if isKnown {
		entry.Pod, entry.Container = pod.Pod, pod.Containers[id]
	}
	wanted, is := expected[id]
	if is {
		entry.Pod, entry.Container, entry.Way, entry.ExpectedCPUs = wanted.Pod, wanted.Container, wanted.Way, wanted.CPUs
		if wanted.Problem != "" {
			entry.Problems = append(entry.Problems, wanted.Problem)
		}
	}
	if entry.Way == wayShared && isKnown && pod.HasClaims {
		entry.Way = wayDRA
	}
	if own := kubelet.CPUsOf(entry.UID, entry.Container); len(own) > 0 && entry.Way != wayNRI {
		entry.Way, entry.ExpectedCPUs = wayStatic, own.String()
	}
	if entry.Way == wayDRA {
		// The claim's driver writes the control group; there is no second account of it.
		entry.ExpectedCPUs = running.cpus.String()
	}
	if entry.Way == wayShared && is && input.Table != nil {
		entry.ExpectedCPUs = input.Table.Shared
	}
	return entry
}

// compare fills in what the container has, and who else is there.
func compare(entry *ReportContainer, found scan, names map[string]string, expected map[string]Expected, input ReportInput) {
	running, machine := found.containers[entry.ID], input.Machine
	cpus := running.cpus
	siblings := machine.Siblings(cpus)
	entry.CPUs, entry.GroupVersion = cpus.String(), running.version
	entry.Siblings, entry.NUMANodes, entry.L3Domains = siblings.String(), machine.NUMAOf(cpus).String(), machine.L3Of(cpus).String()
	wanted, err := ParseCPUs(entry.ExpectedCPUs)
	if err != nil {
		wanted = nil
	}
	problem := func(format string, values ...any) {
		entry.Problems = append(entry.Problems, fmt.Sprintf(format, values...))
	}
	if len(wanted) > 0 && !cpus.Equal(wanted) {
		problem("its control group has CPUs %s, expected %s", cpus, wanted)
	}
	entry.ThreadCPUs = []string{}
	for _, thread := range running.threads {
		entry.ThreadCPUs = append(entry.ThreadCPUs, thread.String())
		if outside := thread.Minus(cpus); len(outside) > 0 {
			problem("a thread may run on CPUs %s, which its control group does not have", outside)
		}
	}
	slices.Sort(entry.ThreadCPUs)
	entry.MoreThreads = running.moreThreads
	if outside := running.moreCPUs.Minus(cpus); len(outside) > 0 {
		problem("more threads may run on CPUs %s, which its control group does not have", outside)
	}
	for id, other := range found.containers {
		if id == entry.ID || other.isSandbox {
			continue
		}
		if other.cpus.Overlaps(cpus) {
			entry.SharedWith = append(entry.SharedWith, names[id])
		}
		if other.cpus.Overlaps(siblings) {
			entry.SiblingsUsedBy = append(entry.SiblingsUsedBy, names[id])
		}
	}
	slices.Sort(entry.SharedWith)
	slices.Sort(entry.SiblingsUsedBy)
	for _, host := range found.hosts {
		if host.Overlaps(cpus) {
			entry.HostProcesses++
		}
	}
	if entry.Way == wayShared {
		return
	}
	if len(entry.SharedWith) > 0 {
		problem("other containers may run on its CPUs: %s", first(entry.SharedWith))
	}
	if entry.Way != wayNRI {
		return
	}
	if len(entry.SiblingsUsedBy) > 0 {
		problem("other containers may run on the siblings %s of its CPUs: %s", siblings, first(entry.SiblingsUsedBy))
	}
	if input.Partition {
		if entry.Partition = makePartition(running); entry.Partition != isolated {
			problem("its control group is not a partition: %s", entry.Partition)
		}
	} else if running.partition != "member" {
		entry.Partition = running.partition
	}
	if input.Better != nil {
		better, err := input.Better(expected[entry.ID])
		if err != nil {
			problem("whether other cores are better is unknown: %v", err)
		}
		entry.Better = better
	}
}

// namesMax bounds a sentence's list.
const namesMax = 3

func first(names []string) string {
	if len(names) <= namesMax {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namesMax], ", "), len(names)-namesMax)
}

func (r ReportContainer) name() string {
	if r.Pod.Name == "" {
		return r.ID[:12]
	}
	return strings.Join([]string{r.Namespace, r.Pod.Name, r.Container}, "/")
}

// AllRight reports whether everything is where it should be.
func (r Report) AllRight() bool {
	return len(r.Problems) == 0 && !slices.ContainsFunc(r.Containers, func(c ReportContainer) bool { return len(c.Problems) > 0 })
}

// WriteTable writes the report for people.
func (r Report) WriteTable(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "CONTAINER\tWAY\tCPUS\tEXPECTED\tSIBLINGS\tL3\tNUMA\tOTHERS\tHOST\tBETTER")
	for _, container := range r.Containers {
		better := ""
		if container.Better != nil {
			better = container.Better.CPUs
		}
		cells := []string{container.name(), container.Way, container.CPUs, container.ExpectedCPUs, container.Siblings, container.L3Domains,
			container.NUMANodes, strconv.Itoa(len(container.SharedWith)), strconv.Itoa(container.HostProcesses), better}
		for at, cell := range cells {
			if cell == "" {
				cells[at] = "-"
			}
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, problem := range r.Problems {
		fmt.Fprintln(to, problem)
	}
	for _, container := range r.Containers {
		for _, problem := range container.Problems {
			fmt.Fprintf(to, "%s: %s\n", container.name(), problem)
		}
	}
	return nil
}
