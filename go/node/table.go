package node

import (
	"cmp"
	"slices"
	"strings"

	"github.com/containerd/nri/pkg/api"
)

// Ways in which a container can have CPUs.
const (
	wayNRI    = "nri"
	wayStatic = "kubelet-static"
	wayDRA    = "dra"
	wayShared = "shared"
)

// draDevice starts the names of the devices by which dra-driver-cpu gives a container its CPUs.
const draDevice = "dra.k8s.io/cpu="

// A Pod names a pod of this node.
type Pod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"pod"`
	UID       string `json:"pod_uid"`
}

// held are the cores of a container.
type held struct {
	cpus, idle, memoryNodes CPUs
}

// A container is what the plugin knows of one.
type container struct {
	pod     Pod
	name    string
	id      string
	sandbox string
	created int64
	// sandboxCPUs is the pod's CPU limit; 0 if it is not known.
	sandboxCPUs float64
	// requested are the shares of its request; 0 for BestEffort pods.
	requested uint64
	way       string
	demand    *demand
	held      *held
	// sent are the CPUs that the runtime was last asked to give it.
	sent CPUs
	// atRuntime is false until the runtime has created it; updates before that are lost.
	atRuntime bool
	// due orders what has to be sent outside of an answer; 0 is nothing.
	due uint64
	// problem is why it does not have what its annotations ask for.
	problem string
}

func newContainer(pod *api.PodSandbox, of *api.Container) *container {
	made := &container{
		pod:     Pod{Namespace: pod.GetNamespace(), Name: pod.GetName(), UID: pod.GetUid()},
		name:    of.GetName(),
		id:      of.GetId(),
		sandbox: of.GetPodSandboxId(),
		created: of.GetCreatedAt(),
		way:     wayShared,
	}
	made.sandboxCPUs, _ = podCPUs(pod)
	if qualityOfService(pod, of) != "BestEffort" {
		made.requested = of.GetLinux().GetResources().GetCpu().GetShares().GetValue()
	}
	return made
}

// lease is the name under which the allocator knows the container, which says nothing of its owner: refusals name leases. A
// container that restarts has another.
func (c *container) lease() string { return c.id }

// fullName is for the log, never for other pods.
func (c *container) fullName() string {
	return strings.Join([]string{c.pod.Namespace, c.pod.Name, c.name, c.id}, "/")
}

func (c *container) record() recordMessage {
	message := recordMessage{ID: c.lease(), CPUs: c.held.cpus.String(), Within: "machine"}
	if c.demand != nil {
		message.Within, message.MemoryBytes, message.MayMove = c.demand.within, c.demand.memory, c.demand.mayMove
	}
	return message
}

func (c *container) wish(movesMax uint32) wish {
	return wish{
		ID: c.lease(), CPUs: c.demand.cpus, Siblings: c.demand.siblings, Within: c.demand.within,
		MemoryBytes: c.demand.memory, MayMove: c.demand.mayMove, MovesMax: movesMax,
	}
}

// isForeign reports whether another part of the node chose the container's CPUs.
func (c *container) isForeign() bool { return c.way == wayStatic || c.way == wayDRA }

func (c *container) describe() []any {
	return []any{"namespace", c.pod.Namespace, "pod", c.pod.Name, "container", c.name, "id", c.id}
}

// update asks the runtime for the CPUs that the container should have.
func (c *container) update(cpus, memoryNodes CPUs) *api.ContainerUpdate {
	update := &api.ContainerUpdate{}
	update.SetContainerId(c.id)
	update.SetLinuxCPUSetCPUs(cpus.String())
	if len(memoryNodes) > 0 {
		update.SetLinuxCPUSetMems(memoryNodes.String())
	}
	// A container that has just ended must not fail the creation of another.
	if c.held == nil {
		update.SetIgnoreFailure()
	}
	c.sent = cpus
	return update
}

// byAge sorts containers by their creation, so that of two with the same core the later one gives way.
func byAge(a, b *container) int {
	return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
}

func (p *Plugin) sorted() []*container {
	all := make([]*container, 0, len(p.containers))
	for _, container := range p.containers {
		all = append(all, container)
	}
	slices.SortFunc(all, byAge)
	return all
}
