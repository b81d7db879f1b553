package scheduler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podresources "k8s.io/component-helpers/resource"
)

const (
	prefix = "fleet.tautochrone.dev/"

	// Annotations of pods.
	levelAnnotation    = prefix + "level"
	coresAnnotation    = prefix + "cores"
	siblingsAnnotation = prefix + "siblings"
	apartAnnotation    = prefix + "apart"
	noiseMaxAnnotation = prefix + "noise-max-permille"
	decisionAnnotation = prefix + "decision"

	// Of nodes: a label, so that selectors can use it, and annotations.
	poolLabel           = prefix + "placement-pool"
	noiseAnnotation     = prefix + "noise-permille"
	priceAnnotation     = prefix + "price"
	numaNodesAnnotation = prefix + "numa-nodes"
	threadsAnnotation   = prefix + "threads"

	strict     = "strict"
	standard   = "standard"
	bestEffort = "best-effort"

	bytesInMiB = 1 << 20
	// The desk takes no larger amounts, and no node has them.
	cpuMilliMax  = 4_096_000
	memoryMiBMax = 64 << 20
	// noiseMaxLimit is the highest noise of the desk.
	noiseMaxLimit = 1_000_000
	// The desk takes no longer names; a namespace and a pod's name can have 317 bytes.
	nameBytesMax = 256
)

// jobName is how the desk knows a pod.
func jobName(namespace, name string) string { return shortened(namespace + "/" + name) }

// shortened keeps long names different from each other.
func shortened(name string) string {
	if len(name) <= nameBytesMax {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := "~" + hex.EncodeToString(sum[:8])
	return cut(name, nameBytesMax-len(end)) + end
}

// recordOfPod translates a pod. If its annotations cannot be used, the error is one sentence, and the record leaves
// them out: a pod that another scheduler placed counts nevertheless.
func recordOfPod(pod *v1.Pod) (jobRecord, error) {
	// Requests of a pod that is being resized count as the larger of both.
	requests := podresources.PodRequests(pod, podresources.PodResourcesOptions{UseStatusResources: true})
	record := jobRecord{
		Job:       jobName(pod.Namespace, pod.Name),
		CPUMilli:  max(1, min(atMost32(requests.Cpu().MilliValue()), cpuMilliMax)),
		MemoryMiB: min(mebibytes(requests.Memory(), true), memoryMiBMax),
		Level:     standard,
		Service:   serviceOf(pod),
	}
	if qosClass(pod) == v1.PodQOSBestEffort {
		record.Level = bestEffort
	}
	wished, err := wishesOf(pod)
	if err != nil {
		return record, err
	}
	if wished.level != "" {
		record.Level = wished.level
	}
	record.IdleSiblings = wished.idleSiblings
	switch text, is := pod.Annotations[apartAnnotation]; {
	case !is || text == "false":
	case text == "true":
		record.Apart = true
	default:
		return record, fmt.Errorf("the annotation %s is '%s'; expected 'true' or 'false'", apartAnnotation, shown(text))
	}
	noiseMax, err := number(pod.Annotations, noiseMaxAnnotation)
	if err == nil && noiseMax != nil && *noiseMax > noiseMaxLimit {
		return record, fmt.Errorf("the annotation %s is %d; expected 0 to %d", noiseMaxAnnotation, *noiseMax, noiseMaxLimit)
	}
	record.NoiseMaxPermille = noiseMax
	return record, err
}

// lastingContainers are those that run for as long as the pod: sidecars are among the init containers.
func lastingContainers(pod *v1.Pod) func(func(*v1.Container) bool) {
	return func(yield func(*v1.Container) bool) {
		for i := range pod.Spec.InitContainers {
			container := &pod.Spec.InitContainers[i]
			if container.RestartPolicy != nil && *container.RestartPolicy == v1.ContainerRestartPolicyAlways && !yield(container) {
				return
			}
		}
		for i := range pod.Spec.Containers {
			if !yield(&pod.Spec.Containers[i]) {
				return
			}
		}
	}
}

// qosClass is what the API server set, or would.
func qosClass(pod *v1.Pod) v1.PodQOSClass {
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass
	}
	isGuaranteed, isBestEffort := true, true
	look := func(container *v1.Container) {
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			request, limit := container.Resources.Requests[name], container.Resources.Limits[name]
			isBestEffort = isBestEffort && request.IsZero() && limit.IsZero()
			isGuaranteed = isGuaranteed && !limit.IsZero() && (request.IsZero() || request.Cmp(limit) == 0)
		}
	}
	for i := range pod.Spec.InitContainers {
		look(&pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		look(&pod.Spec.Containers[i])
	}
	switch {
	case isBestEffort:
		return v1.PodQOSBestEffort
	case isGuaranteed:
		return v1.PodQOSGuaranteed
	}
	return v1.PodQOSBurstable
}

// serviceOf names what pods are replicas of. The ReplicaSets of one Deployment are one service: otherwise a rollout would
// put its pods where the old ones are thickest.
func serviceOf(pod *v1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return ""
	}
	name := owner.Name
	if hash := pod.Labels["pod-template-hash"]; owner.Kind == "ReplicaSet" && hash != "" {
		name = strings.TrimSuffix(name, "-"+hash)
	}
	// The desk takes no control characters, and nothing checks the names of owners.
	return shortened(printable(pod.Namespace + "/" + owner.Kind + "/" + name))
}

// recordOfNode translates a node. Complaints are about annotations that are left out.
func recordOfNode(node *v1.Node, cluster string) (hostRecord, []error) {
	record := hostRecord{
		Host:      node.Name,
		CPUMilli:  atMost32(node.Status.Allocatable.Cpu().MilliValue()),
		MemoryMiB: mebibytes(node.Status.Allocatable.Memory(), false),
		NUMANodes: 1,
		Threads:   1,
		Pool:      "default",
		Cluster:   cluster,
	}
	if pool := node.Labels[poolLabel]; pool != "" {
		record.Pool = pool
	}
	var complaints []error
	read := func(name string, into *uint32) {
		value, err := number(node.Annotations, name)
		if err != nil {
			complaints = append(complaints, err)
		} else if value != nil {
			*into = *value
		}
	}
	noise, err := number(node.Annotations, noiseAnnotation)
	if err != nil {
		complaints = append(complaints, err)
	}
	record.NoisePermille = noise
	read(priceAnnotation, &record.Price)
	read(numaNodesAnnotation, &record.NUMANodes)
	read(threadsAnnotation, &record.Threads)
	return record, complaints
}

func standingOf(node *v1.Node) standing {
	if node.Spec.Unschedulable {
		return drain
	}
	return up
}

// number reads an annotation that is a whole number; nil if there is none. Ranges are the desk's to check.
func number(annotations map[string]string, name string) (*uint32, error) {
	text, is := annotations[name]
	if !is {
		return nil, nil
	}
	value, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the annotation %s is '%s'; expected a whole number", name, shown(text))
	}
	short := uint32(value)
	return &short, nil
}

func atMost32(value int64) uint32 { return uint32(max(0, min(value, math.MaxUint32))) }

// mebibytes rounds what a pod requests up and what a node has down.
func mebibytes(quantity *resource.Quantity, isUp bool) uint32 {
	bytes := quantity.Value()
	if whole := bytes / bytesInMiB; !isUp || bytes%bytesInMiB == 0 {
		return atMost32(whole)
	}
	return atMost32(bytes/bytesInMiB + 1)
}

// isFinished returns whether a pod no longer uses its node.
func isFinished(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// isOfDaemonSet returns whether the controller of DaemonSets made a pod, as far as a pod shows it: an owner alone is easily
// written, and would keep the policy from deciding. With the affinity to one node, it can do no more than a pod with a nodeName.
func isOfDaemonSet(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet" && owner.APIVersion == "apps/v1" && isForOneNode(pod)
}

// isForOneNode returns whether each term of the node affinity names the same one node.
func isForOneNode(pod *v1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return false
	}
	terms := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	name := ""
	for i := range terms {
		fields := terms[i].MatchFields
		at := slices.IndexFunc(fields, func(field v1.NodeSelectorRequirement) bool {
			return field.Key == metav1.ObjectNameField && field.Operator == v1.NodeSelectorOpIn && len(field.Values) == 1 && field.Values[0] != ""
		})
		if at < 0 || (i > 0 && fields[at].Values[0] != name) {
			return false
		}
		name = fields[at].Values[0]
	}
	return name != ""
}
