package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	containerID = regexp.MustCompile(`[0-9a-f]{64}`)
	podUID      = regexp.MustCompile(`pod([0-9a-fA-F]{8}[-_][0-9a-fA-F_-]{27})`)
)

// threadSetsMax bounds what a container's threads can add to a report.
const threadSetsMax = 16

// kthreadd is the parent of all kernel threads.
const kthreadd = 2

// A runningContainer is what control groups and processes show of a container.
type runningContainer struct {
	id, podUID string
	// version is that of the control group that has the cpuset, and folder its place.
	version int
	folder  string
	cpus    CPUs
	// threads are different sets, and moreThreads those with yet others, which moreCPUs has together.
	threads     []CPUs
	moreThreads int
	moreCPUs    CPUs
	partition   string
	isSandbox   bool
}

// A scan is a node's processes at one moment.
type scan struct {
	containers map[string]*runningContainer
	// hosts are the CPUs of each process that is in no container.
	hosts []CPUs
}

// scanProcesses reads /proc and the control groups below a root folder. Processes that end meanwhile are left out.
func scanProcesses(root string) (scan, error) {
	found := scan{containers: map[string]*runningContainer{}}
	entries, err := os.ReadDir(filepath.Join(root, "proc"))
	if err != nil {
		return found, err
	}
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		folder := filepath.Join(root, "proc", entry.Name())
		name, parent, cpus, err := readStatus(filepath.Join(folder, "status"))
		if err != nil || parent == kthreadd || entry.Name() == strconv.Itoa(kthreadd) {
			continue
		}
		groups, err := os.ReadFile(filepath.Join(folder, "cgroup"))
		if err != nil {
			continue
		}
		container := found.containerOf(root, string(groups))
		if container == nil {
			found.hosts = append(found.hosts, cpus)
			continue
		}
		container.isSandbox = container.isSandbox && name == "pause"
		tasks, err := os.ReadDir(filepath.Join(folder, "task"))
		if err != nil {
			container.addThread(cpus)
			continue
		}
		for _, task := range tasks {
			if _, _, cpus, err := readStatus(filepath.Join(folder, "task", task.Name(), "status")); err == nil {
				container.addThread(cpus)
			}
		}
	}
	return found, nil
}

func (r *runningContainer) addThread(cpus CPUs) {
	switch {
	case slices.ContainsFunc(r.threads, cpus.Equal):
	case len(r.threads) < threadSetsMax:
		r.threads = append(r.threads, cpus)
	default:
		r.moreThreads++
		r.moreCPUs = r.moreCPUs.Or(cpus)
	}
}

// containerOf finds the container of a process by its control groups; nil if it is in none.
func (s *scan) containerOf(root, groups string) *runningContainer {
	version, path := cpusetGroup(groups)
	at := containerID.FindStringIndex(path)
	if at == nil {
		return nil
	}
	id := path[at[0]:at[1]]
	if known := s.containers[id]; known != nil {
		return known
	}
	container := &runningContainer{id: id, version: version, isSandbox: true}
	if uid := podUID.FindStringSubmatch(path); uid != nil {
		container.podUID = strings.ReplaceAll(uid[1], "_", "-")
	}
	// A container may have groups of its own below.
	end := len(path)
	if slash := strings.IndexByte(path[at[1]:], '/'); slash >= 0 {
		end = at[1] + slash
	}
	// Seen from another control group namespace the path climbs first.
	path = path[:end]
	for strings.HasPrefix(path, "/..") {
		path = path[len("/.."):]
	}
	mount := "sys/fs/cgroup"
	if version == 1 {
		mount = "sys/fs/cgroup/cpuset"
	}
	top := filepath.Join(root, mount)
	container.folder = filepath.Join(top, path)
	container.cpus = groupCPUs(top, container.folder, version)
	if text, err := os.ReadFile(filepath.Join(container.folder, "cpuset.cpus.partition")); err == nil {
		container.partition = strings.TrimSpace(string(text))
	}
	s.containers[id] = container
	return container
}

// cpusetGroup returns the control group that has the cpuset: that of version 1 where there is one.
func cpusetGroup(groups string) (version int, path string) {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if slices.Contains(strings.Split(parts[1], ","), "cpuset") {
			return 1, parts[2]
		}
		if parts[0] == "0" && parts[1] == "" {
			version, path = 2, parts[2]
		}
	}
	return version, path
}

// groupCPUs reads a group's CPUs, or those of the nearest group above that has the controller.
func groupCPUs(top, folder string, version int) CPUs {
	names := []string{"cpuset.cpus.effective"}
	if version == 1 {
		names = []string{"cpuset.effective_cpus", "cpuset.cpus"}
	}
	for strings.HasPrefix(folder, top) {
		for _, name := range names {
			if cpus, err := readList(filepath.Join(folder, name)); err == nil && len(cpus) > 0 {
				return cpus
			}
		}
		folder = filepath.Dir(folder)
	}
	return nil
}

func readStatus(path string) (name string, parent int, cpus CPUs, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", 0, nil, err
	}
	// A line may be long: a process can be in 65,536 groups.
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Name":
			name = value
		case "PPid":
			if parent, err = strconv.Atoi(value); err != nil {
				return "", 0, nil, err
			}
		case "Cpus_allowed_list":
			if cpus, err = ParseCPUs(value); err != nil {
				return "", 0, nil, err
			}
		}
	}
	return name, parent, cpus, nil
}

const isolated = "isolated"

// makePartition makes a container's control group of version 2 a partition of its own, and returns what the kernel made of it.
func makePartition(container *runningContainer) string {
	if container.version != 2 || container.partition == "" {
		return "control groups of version 2 without cpuset.cpus.partition"
	}
	if container.partition == isolated {
		return isolated
	}
	path := filepath.Join(container.folder, "cpuset.cpus.partition")
	if err := os.WriteFile(path, []byte(isolated), 0); err != nil {
		var cause *os.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return fmt.Sprintf("not set: %v", err)
	}
	// The kernel accepts the word and says only here that it cannot.
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprintf("not set: %v", err)
	}
	container.partition = strings.TrimSpace(string(text))
	return container.partition
}
