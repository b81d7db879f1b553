package scheduler

import (
	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// An admission is which nodes a pod's selectors and tolerations allow.
type admission struct {
	// only is nil for all.
	only   *[]string
	except []string
}

// admits checks all nodes for a pod with selectors, and for others the tainted ones alone: most pods have none, and most
// nodes no taints.
func admits(logger klog.Logger, pod *v1.Pod, nodes map[string]*v1.Node, tainted map[string]*v1.Node) admission {
	if !hasSelectors(pod) {
		var except []string
		for name, node := range tainted {
			if isRepelled(logger, pod, node) {
				except = append(except, name)
			}
		}
		return admission{except: except}
	}
	affinity := nodeaffinity.GetRequiredNodeAffinity(pod)
	only, except := []string{}, []string{}
	for name, node := range nodes {
		// An affinity that cannot be read matches nothing, as for the scheduler's own filter.
		if matches, err := affinity.Match(node); err == nil && matches && !(tainted[name] != nil && isRepelled(logger, pod, node)) {
			only = append(only, name)
		} else {
			except = append(except, name)
		}
	}
	if len(only) <= len(except) {
		return admission{only: &only}
	}
	return admission{except: except}
}

func hasSelectors(pod *v1.Pod) bool {
	if len(pod.Spec.NodeSelector) > 0 {
		return true
	}
	affinity := pod.Spec.Affinity
	return affinity != nil && affinity.NodeAffinity != nil && affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
}

func isTainted(node *v1.Node) bool {
	for i := range node.Spec.Taints {
		if keepsAway(&node.Spec.Taints[i]) {
			return true
		}
	}
	return false
}

func keepsAway(taint *v1.Taint) bool {
	return taint.Effect == v1.TaintEffectNoSchedule || taint.Effect == v1.TaintEffectNoExecute
}

func isRepelled(logger klog.Logger, pod *v1.Pod, node *v1.Node) bool {
	_, is := corev1helpers.FindMatchingUntoleratedTaint(logger, node.Spec.Taints, pod.Spec.Tolerations, keepsAway, false)
	return is
}
