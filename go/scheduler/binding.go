package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Bind binds as the default binder does. The API server copies a binding's annotations to the pod, so that the decision is
// there without another request.
func (p *Plugin) Bind(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	binding := &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}
	if found := chosenOf(state); found != nil && len(found.decision) > 0 && p.args.Annotate != annotateNone {
		text, err := decisionAt(found.decision, node, p.args.Annotate == annotateFull)
		switch {
		case err != nil:
			p.logger.Error(err, "a decision is not written to its pod")
		case bytesOf(pod.Annotations)+len(decisionAnnotation)+len(text) > annotationBytesMax:
			p.logger.Info("a decision is not written to its pod, which has long annotations", "pod", klog.KObj(pod))
		default:
			binding.Annotations = map[string]string{decisionAnnotation: text}
		}
	}
	if cacher := p.handle.APICacher(); cacher != nil {
		done, err := cacher.BindPod(binding)
		if err != nil {
			return fwk.AsStatus(err)
		}
		return fwk.AsStatus(cacher.WaitOnFinish(ctx, done))
	}
	return fwk.AsStatus(p.handle.ClientSet().CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{}))
}

// annotationBytesMax leaves others room: the API server refuses more than 256 KiB, and the pod would never be bound.
const annotationBytesMax = 200 << 10

func bytesOf(annotations map[string]string) int {
	sum := 0
	for name, value := range annotations {
		sum += len(name) + len(value)
	}
	return sum
}

// briefly are the fields of a brief decision; of its candidates it has only the node that was chosen.
var briefly = []string{"at_ms", "times", "last_ms", "policy", "host", "failed", "passed", "rearranged", "candidates"}

// decisionAt returns a decision with the node that was chosen in the end.
func decisionAt(decision []byte, node string, isFull bool) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(decision, &fields); err != nil {
		return "", fmt.Errorf("the decision cannot be read: %w", err)
	}
	host, err := json.Marshal(node)
	if err != nil {
		return "", err
	}
	if isFull && string(fields["host"]) == string(host) {
		return string(decision), nil
	}
	fields["host"] = host
	if !isFull {
		if err := shorten(fields, node); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(fields)
	return string(text), err
}

func shorten(fields map[string]json.RawMessage, node string) error {
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return !slices.Contains(briefly, name) })
	var all []json.RawMessage
	if text, is := fields["candidates"]; is {
		if err := json.Unmarshal(text, &all); err != nil {
			return fmt.Errorf("the candidates of a decision cannot be read: %w", err)
		}
	}
	chosen := []json.RawMessage{}
	for _, text := range all {
		var candidate struct {
			Host string `json:"host"`
		}
		if err := json.Unmarshal(text, &candidate); err != nil {
			return fmt.Errorf("a candidate of a decision cannot be read: %w", err)
		}
		if candidate.Host == node {
			chosen = append(chosen, text)
		}
	}
	var err error
	fields["candidates"], err = json.Marshal(chosen)
	return err
}
