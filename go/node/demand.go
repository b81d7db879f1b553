package node

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/nri/pkg/api"
)

// Annotations of pods. Nothing inside a container counts, so that a container cannot choose its CPUs.
const (
	annotationPrefix   = "fleet.tautochrone.dev/"
	annotationCores    = annotationPrefix + "cores"
	annotationSiblings = annotationPrefix + "siblings"
	annotationWithin   = annotationPrefix + "within"
	annotationMayMove  = annotationPrefix + "may-move"
	annotationRealTime = annotationPrefix + "real-time"
)

const (
	// sharesPerCPU are the shares that the kubelet gives for a request of one CPU, and sharesMax the most that the kernel takes.
	sharesPerCPU = 1024
	sharesMax    = 262144
	// realTimeMax is below the kernel's own threads that must not wait, such as those of interrupts.
	realTimeMax = 50
	// textMax bounds what is repeated of an annotation, in characters.
	textMax = 40
	// textsMax bounds what a container that asks for cores brings along, in bytes. NRI's messages have an upper limit: the end of a
	// container whose message is too large would never arrive.
	textsMax = 256 << 10
)

var (
	siblingsWords = []string{"idle", "used"}
	withinWords   = []string{"l3_domain", "numa_node", "die", "package", "machine"}
)

// A demand is what a container that gets whole cores asks for.
type demand struct {
	cpus     uint32
	siblings string
	within   string
	memory   uint64
	mayMove  bool
	// realTime is a priority of SCHED_FIFO, or 0.
	realTime int32
}

// demandOf returns nil for a container that shares CPUs with others.
func demandOf(pod *api.PodSandbox, container *api.Container) (*demand, error) {
	annotations := pod.GetAnnotations()
	asked, err := asksForCores(annotations, container.GetName())
	if err != nil || !asked {
		return nil, err
	}
	if class := qualityOfService(pod, container); class != "Guaranteed" {
		return nil, fmt.Errorf("container '%s' asks for whole cores (annotation %s), but its pod is %s; expected a Guaranteed pod: "+
			"give each of its containers equal requests and limits of CPU and memory", container.GetName(), annotationCores, class)
	}
	cpus, err := wholeCPUs(container)
	if err != nil {
		if annotations[annotationCores] == "whole" {
			err = fmt.Errorf("%w; or use %s.CONTAINER for the container that needs them, instead of %s for the whole pod", err, annotationCores, annotationCores)
		}
		return nil, err
	}
	if err := isPaidFor(container, cpus); err != nil {
		return nil, err
	}
	wanted := &demand{cpus: cpus, siblings: "idle", within: "machine"}
	if limit := container.GetLinux().GetResources().GetMemory().GetLimit().GetValue(); limit > 0 {
		wanted.memory = uint64(limit)
	}
	if err := oneOf(annotations, annotationSiblings, siblingsWords, &wanted.siblings); err != nil {
		return nil, err
	}
	if err := oneOf(annotations, annotationWithin, withinWords, &wanted.within); err != nil {
		return nil, err
	}
	mayMove := "false"
	if err := oneOf(annotations, annotationMayMove, []string{"true", "false"}, &mayMove); err != nil {
		return nil, err
	}
	wanted.mayMove = mayMove == "true"
	if text, is := annotations[annotationRealTime]; is {
		priority, err := strconv.ParseInt(text, 10, 32)
		if err != nil || priority < 1 || priority > realTimeMax {
			return nil, fmt.Errorf("annotation %s is '%s'; expected a priority from 1 to %d: correct it, or remove it", annotationRealTime, short(text), realTimeMax)
		}
		wanted.realTime = int32(priority)
	}
	return wanted, nil
}

// asksForCores reads the annotations for the pod and for this container, which must agree.
func asksForCores(annotations map[string]string, container string) (bool, error) {
	one := annotationCores + "." + container
	ofPod, podIs := annotations[annotationCores]
	ofOne, oneIs := annotations[one]
	for _, found := range []struct {
		name, value string
		is          bool
	}{{annotationCores, ofPod, podIs}, {one, ofOne, oneIs}} {
		if found.is && found.value != "whole" && found.value != "shared" {
			return false, fmt.Errorf("annotation %s is '%s'; expected 'whole' or 'shared': correct it, or remove it", found.name, short(found.value))
		}
	}
	if podIs && oneIs && ofPod != ofOne {
		return false, fmt.Errorf("annotations contradict each other: %s is '%s' and %s is '%s'; expected one answer for container '%s': "+
			"remove one of them", annotationCores, ofPod, one, ofOne, container)
	}
	return ofPod == "whole" || ofOne == "whole", nil
}

func oneOf(annotations map[string]string, name string, words []string, value *string) error {
	found, is := annotations[name]
	if !is {
		return nil
	}
	if !slices.Contains(words, found) {
		return fmt.Errorf("annotation %s is '%s'; expected one of %s: correct it, or remove it", name, short(found), strings.Join(words, ", "))
	}
	*value = found
	return nil
}

// qualityOfService reads the class from the control group into which the kubelet puts the pod.
func qualityOfService(pod *api.PodSandbox, container *api.Container) string {
	for _, path := range []string{pod.GetLinux().GetCgroupParent(), pod.GetLinux().GetCgroupsPath(), container.GetLinux().GetCgroupsPath()} {
		switch {
		case strings.Contains(path, "besteffort"):
			return "BestEffort"
		case strings.Contains(path, "burstable"):
			return "Burstable"
		}
	}
	return "Guaranteed"
}

// wholeCPUs returns the container's CPU limit, which must be a whole number.
func wholeCPUs(container *api.Container) (uint32, error) {
	cpu := container.GetLinux().GetResources().GetCpu()
	quota, period := cpu.GetQuota().GetValue(), int64(cpu.GetPeriod().GetValue())
	if quota <= 0 || period <= 0 {
		return 0, fmt.Errorf("container '%s' asks for whole cores, but has no CPU limit; expected a limit of a whole number of CPUs: "+
			"set resources.limits.cpu, and leave the kubelet's cpuCFSQuota on", container.GetName())
	}
	if quota%period != 0 {
		limit := strconv.FormatFloat(float64(quota)/float64(period), 'f', -1, 64)
		return 0, fmt.Errorf("container '%s' asks for whole cores, but its CPU limit is %s; expected a whole number of CPUs: "+
			"set resources.requests.cpu and resources.limits.cpu to one, such as %d", container.GetName(), limit, quota/period+1)
	}
	if quota/period > cpuNumberMax {
		return 0, fmt.Errorf("container '%s' asks for %d CPUs; expected at most %d: lower its limit", container.GetName(), quota/period, cpuNumberMax)
	}
	return uint32(quota / period), nil
}

// isPaidFor refuses a container whose request is below its limit, as pod-level resources allow: the scheduler has counted the
// request only.
func isPaidFor(container *api.Container, cpus uint32) error {
	shares := container.GetLinux().GetResources().GetCpu().GetShares().GetValue()
	if shares >= sharesFor(cpus) {
		return nil
	}
	return fmt.Errorf("container '%s' asks for %d whole cores, but requests %g CPUs; expected a request that equals its limit: "+
		"set the container's own resources.requests.cpu to %d", container.GetName(), cpus, inCPUs(shares), cpus)
}

// sharesFor are the least shares of a container with this request. Above the kernel's maximum they all look the same.
func sharesFor(cpus uint32) uint64 { return min(uint64(cpus)*sharesPerCPU, sharesMax) }

// inCPUs are shares as a request in thousandths of a CPU.
func inCPUs(shares uint64) float64 {
	const thousandths = 1000
	return float64((shares*thousandths+sharesPerCPU/2)/sharesPerCPU) / thousandths
}

// podCPUs is the CPU limit of the whole pod, where the runtime knows it.
func podCPUs(pod *api.PodSandbox) (cpus float64, isKnown bool) {
	cpu := pod.GetLinux().GetPodResources().GetCpu()
	quota, period := cpu.GetQuota().GetValue(), cpu.GetPeriod().GetValue()
	if quota <= 0 || period == 0 {
		return 0, false
	}
	return float64(quota) / float64(period), true
}

// tooMuchText refuses containers whose end might not be reported.
func tooMuchText(pod *api.PodSandbox, container *api.Container) error {
	size := 0
	for _, text := range append(slices.Clone(container.GetEnv()), container.GetArgs()...) {
		size += len(text)
	}
	for _, annotations := range []map[string]string{pod.GetAnnotations(), container.GetAnnotations()} {
		for name, value := range annotations {
			size += len(name) + len(value)
		}
	}
	if size <= textsMax {
		return nil
	}
	return fmt.Errorf("container '%s' asks for whole cores, and its environment, arguments and annotations have %d bytes; expected at most %d: "+
		"put what is large into a volume", container.GetName(), size, textsMax)
}

// short is the beginning of a text that a pod's owner wrote.
func short(text string) string {
	characters := 0
	for at := range text {
		if characters == textMax {
			return strings.ToValidUTF8(text[:at], "") + "..."
		}
		characters++
	}
	return strings.ToValidUTF8(text, "")
}
