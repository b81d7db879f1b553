package scheduler

import (
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
)

// Which containers ask for whole cores follows the rule of the plugin on nodes (go/node/demand.go): one that it would not start
// gets no node.

const (
	wholeCores  = "whole"
	sharedCores = "shared"

	idleSiblings = "idle"
	usedSiblings = "used"
)

// wishes are what a pod's annotations ask for.
type wishes struct {
	// level is empty without any wish.
	level        string
	idleSiblings bool
}

// wishesOf reads the annotations about the level and cores, and checks that a node could grant them.
func wishesOf(pod *v1.Pod) (wishes, error) {
	level, hasLevel := pod.Annotations[levelAnnotation]
	if hasLevel && level != strict && level != standard && level != bestEffort {
		return wishes{}, fmt.Errorf("the annotation %s is '%s'; expected '%s', '%s' or '%s'", levelAnnotation, shown(level), strict, standard, bestEffort)
	}
	cores, err := coresOf(pod)
	if err != nil {
		return wishes{}, err
	}
	switch {
	case len(cores.whole) > 0:
		if hasLevel && level != strict {
			return wishes{}, fmt.Errorf("the annotations %s: %s and %s: %s contradict each other; only strict pods have whole cores",
				cores.annotation, wholeCores, levelAnnotation, level)
		}
		return wholeWishes(pod, cores)
	case level == strict:
		if cores.areAllShared {
			return wishes{}, fmt.Errorf("the annotations %s: %s and %s: %s contradict each other; strict pods have whole cores",
				cores.annotation, sharedCores, levelAnnotation, level)
		}
		return wishes{level: strict}, checkStrict(pod, cores.shared)
	case level == bestEffort:
		if class := qosClass(pod); class != v1.PodQOSBestEffort {
			return wishes{}, fmt.Errorf("the annotation %s: %s needs a BestEffort pod, and this one is %s; remove the annotation, or requests and limits",
				levelAnnotation, bestEffort, class)
		}
	}
	return wishes{level: level}, nil
}

// cores is which containers ask for whole cores.
type cores struct {
	// annotation is one that asks, for sentences.
	annotation   string
	whole        []*v1.Container
	shared       map[string]bool
	areAllShared bool
}

// coresOf reads the annotations for the pod and for each container, which must agree.
func coresOf(pod *v1.Pod) (cores, error) {
	ofPod, podIs := pod.Annotations[coresAnnotation]
	if podIs && !isCores(ofPod) {
		return cores{}, badCores(coresAnnotation, ofPod)
	}
	found := cores{shared: map[string]bool{}}
	count := 0
	for container := range allContainers(pod) {
		count++
		one := coresAnnotation + "." + container.Name
		value, is := pod.Annotations[one]
		switch {
		case is && !isCores(value):
			return cores{}, badCores(one, value)
		case is && podIs && value != ofPod:
			return cores{}, fmt.Errorf("the annotations %s: %s and %s: %s contradict each other; remove one of them", coresAnnotation, ofPod, one, value)
		case !is && !podIs:
			continue
		case !is:
			one, value = coresAnnotation, ofPod
		}
		if value == wholeCores {
			found.annotation = one
			found.whole = append(found.whole, container)
			continue
		}
		if len(found.whole) == 0 {
			found.annotation = one
		}
		found.shared[container.Name] = true
	}
	found.areAllShared = count > 0 && len(found.shared) == count
	return found, nil
}

func isCores(value string) bool { return value == wholeCores || value == sharedCores }

func badCores(annotation, value string) error {
	return fmt.Errorf("the annotation %s is '%s'; expected '%s' or '%s'", annotation, shown(value), wholeCores, sharedCores)
}

// wholeWishes checks a pod of which containers ask for whole cores.
func wholeWishes(pod *v1.Pod, found cores) (wishes, error) {
	if class := qosClass(pod); class != v1.PodQOSGuaranteed {
		return wishes{}, fmt.Errorf("the annotation %s: %s needs a Guaranteed pod, and this one is %s; set limits of CPU and memory that equal the requests",
			found.annotation, wholeCores, class)
	}
	for _, container := range found.whole {
		limit, request := container.Resources.Limits.Cpu().MilliValue(), container.Resources.Requests.Cpu().MilliValue()
		switch {
		case limit == 0:
			return wishes{}, fmt.Errorf("container '%s' asks for whole cores, but has no CPU limit; expected a limit of a whole number of CPUs: "+
				"set resources.limits.cpu%s", container.Name, forOthers(pod))
		case limit%1000 != 0:
			return wishes{}, fmt.Errorf("container '%s' asks for whole cores, but its CPU limit is %s; expected a whole number of CPUs: "+
				"set resources.requests.cpu and resources.limits.cpu to one, such as %d%s", container.Name,
				strconv.FormatFloat(float64(limit)/1000, 'f', -1, 64), limit/1000+1, forOthers(pod))
		case request != limit:
			// As resources of the whole pod allow.
			return wishes{}, fmt.Errorf("container '%s' asks for %d whole cores, but requests %g CPUs; expected a request that equals its limit: "+
				"set the container's own resources.requests.cpu to %d", container.Name, limit/1000, float64(request)/1000, limit/1000)
		}
	}
	siblings, is := pod.Annotations[siblingsAnnotation]
	if is && siblings != idleSiblings && siblings != usedSiblings {
		return wishes{}, fmt.Errorf("the annotation %s is '%s'; expected '%s' or '%s'", siblingsAnnotation, shown(siblings), idleSiblings, usedSiblings)
	}
	return wishes{level: strict, idleSiblings: siblings != usedSiblings}, nil
}

// forOthers says how a sidecar may share CPUs next to containers with whole cores.
func forOthers(pod *v1.Pod) string {
	if pod.Annotations[coresAnnotation] != wholeCores {
		return ""
	}
	return fmt.Sprintf("; or use %s.CONTAINER for the container that needs them, instead of %s for the whole pod", coresAnnotation, coresAnnotation)
}

// checkStrict refuses strict pods without whole CPUs: a strict pod blocks whole cores of its node, whatever it requests. One
// without annotations about cores may have containers with less than one CPU, which share.
func checkStrict(pod *v1.Pod, shared map[string]bool) error {
	if class := qosClass(pod); class != v1.PodQOSGuaranteed {
		return fmt.Errorf("the annotation %s: %s needs a Guaranteed pod, and this one is %s; set limits of CPU and memory that equal the requests",
			levelAnnotation, strict, class)
	}
	hasWhole := false
	for container := range lastingContainers(pod) {
		if shared[container.Name] {
			continue
		}
		milli := container.Resources.Requests.Cpu().MilliValue()
		if milli == 0 {
			milli = container.Resources.Limits.Cpu().MilliValue()
		}
		if milli > 1000 && milli%1000 != 0 {
			return fmt.Errorf("the annotation %s: %s needs whole CPUs, and the container '%s' requests %dm", levelAnnotation, strict, container.Name, milli)
		}
		hasWhole = hasWhole || milli >= 1000
	}
	if !hasWhole {
		return fmt.Errorf("the annotation %s: %s needs whole CPUs, and no container requests one", levelAnnotation, strict)
	}
	return nil
}

// allContainers has those that end before others start, too.
func allContainers(pod *v1.Pod) func(func(*v1.Container) bool) {
	return func(yield func(*v1.Container) bool) {
		for i := range pod.Spec.InitContainers {
			if !yield(&pod.Spec.InitContainers[i]) {
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
