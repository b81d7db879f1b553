package node

import (
	"errors"
	"fmt"
	"strings"
)

// fitsPod refuses cores beyond what the whole pod has: with pod-level resources its containers' limits may be more in sum.
func (p *Plugin) fitsPod(container *container) error {
	if container.sandboxCPUs == 0 {
		return nil
	}
	sum := container.demand.cpus
	for _, other := range p.containers {
		// The one before a restart has the same name, and its end may not have been reported.
		if other.sandbox == container.sandbox && other.name != container.name && other.held != nil && other.demand != nil {
			sum += other.demand.cpus
		}
	}
	if float64(sum) <= container.sandboxCPUs {
		return nil
	}
	return fmt.Errorf("container '%s' asks for %d whole cores, which makes %d in its pod, and the pod's CPU limit is %g; expected at most that many: "+
		"raise the pod's resources, or lower the containers' limits", container.name, container.demand.cpus, sum, container.sandboxCPUs)
}

// leavesEnough refuses cores that the others need: the scheduler does not count siblings that stay idle. It reads the shared set
// that the grant leaves.
func (p *Plugin) leavesEnough(container *container) error {
	if err := p.refresh(); err != nil {
		return err
	}
	requested := uint64(0)
	for _, other := range p.containers {
		if other.way == wayShared {
			requested += other.requested
		}
	}
	reserved := len(p.settings.Reserved.And(p.machine.Online))
	if uint64(len(p.shared))*sharesPerCPU >= requested+uint64(reserved)*sharesPerCPU {
		return nil
	}
	siblings := ""
	if container.demand.siblings == "idle" {
		siblings = fmt.Sprintf(", or set the annotation %s to 'used', which leaves no sibling idle", annotationSiblings)
	}
	return fmt.Errorf("container '%s' asks for %d whole cores, after which %d shared CPUs would remain; expected at least %g, which is what running "+
		"containers have requested and what is reserved: ask for fewer%s", container.name, container.demand.cpus, len(p.shared),
		inCPUs(requested)+float64(reserved), siblings)
}

// takeBack undoes a grant and the moves that made room for it, which the runtime has not been told of.
func (p *Plugin) takeBack(container *container, before map[string]*held) {
	p.sources.Log.Info("a grant and its moves are undone", append(container.describe(), "moves", len(before))...)
	delete(p.containers, container.id)
	errs := []error{p.ask("release", nameMessage{ID: container.lease()}, nil)}
	for id, held := range before {
		p.containers[id].held = held
		errs = append(errs, p.ask("release", nameMessage{ID: id}, nil))
	}
	for id := range before {
		errs = append(errs, p.ask("record", p.containers[id].record(), nil))
	}
	if err := errors.Join(append(errs, p.refresh())...); err != nil {
		p.sources.Log.Error("a grant could not be undone", "why", err)
	}
}

// A hidden error says to a pod's owner less than to the log: what others run is not theirs to know.
type hidden struct {
	// Only full names other containers.
	short, full string
}

func (h hidden) Error() string { return h.short }

// inFull is for the log.
func inFull(err error) string {
	text := err.Error()
	var found hidden
	if errors.As(err, &found) {
		text = strings.Replace(text, found.short, found.full, 1)
	}
	return text
}

// withoutOthers leaves out of the allocator's sentence which other containers are in the way.
func (p *Plugin) withoutOthers(of *container, err error) error {
	const waiting = "wait until "
	text := err.Error()
	first, full := len(text), text
	for id, other := range p.containers {
		name := "'" + id + "'"
		at := strings.Index(text, name)
		if id == of.id || at < 0 {
			continue
		}
		first, full = min(first, at), strings.ReplaceAll(full, name, "'"+other.fullName()+"'")
	}
	short := text[:first]
	switch end := strings.LastIndex(short, ";"); {
	case first == len(text):
	case strings.HasSuffix(short, waiting):
		short += "other containers have ended"
	case end >= 0:
		short = short[:end]
	default:
		short = "other containers have those CPUs"
	}
	return hidden{short: short, full: full}
}
