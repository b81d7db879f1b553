package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/containerd/nri/pkg/api"
)

// An updater changes containers outside of the runtime's calls, and returns those that failed.
type updater func([]*api.ContainerUpdate) ([]*api.ContainerUpdate, error)

// settleRoundsMax bounds how often a list is sent again because containers started or stopped meanwhile.
const settleRoundsMax = 16

func (p *Plugin) makeDue(container *container) {
	p.dues++
	container.due = p.dues
}

func (p *Plugin) sharedDue() {
	for _, container := range p.sorted() {
		if container.way == wayShared && !container.sent.Equal(p.shared) {
			p.makeDue(container)
		}
	}
	p.wakeUp()
}

func (p *Plugin) wakeUp() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// settle sends what no answer could carry. It never holds the lock while it waits for the runtime, which may at that moment
// wait for a handler.
func (p *Plugin) settle(update updater) error {
	for range settleRoundsMax {
		p.mutex.Lock()
		due := p.takeDue()
		updates := make([]*api.ContainerUpdate, 0, len(due))
		sent := make([]CPUs, 0, len(due))
		for _, container := range due {
			updates = append(updates, p.updateOf(container))
			sent = append(sent, container.sent)
		}
		p.mutex.Unlock()
		if len(updates) == 0 {
			return nil
		}
		failed, err := update(updates)
		if err != nil {
			return fmt.Errorf("the runtime does not update containers: %w", err)
		}
		p.mutex.Lock()
		for _, update := range failed {
			if container := p.containers[update.GetContainerId()]; container != nil {
				err = fmt.Errorf("the runtime could not move container %s to CPUs %s", container.fullName(), container.sent)
			}
		}
		for at, container := range due {
			// An answer may have been carried out before this list, which then was outdated.
			if p.containers[container.id] == container && !p.wanted(container).Equal(sent[at]) {
				p.makeDue(container)
			}
		}
		p.mutex.Unlock()
		if err != nil {
			return err
		}
	}
	// Only containers that share can be left: containers start and stop faster than lists are carried out. Others have their turn.
	p.wakeUp()
	return nil
}

// wanted are the CPUs that a container should have now.
func (p *Plugin) wanted(container *container) CPUs {
	if container.held != nil {
		return container.held.cpus
	}
	return p.shared
}

// takeDue returns containers with something to be sent: those that share first, since they make room.
func (p *Plugin) takeDue() []*container {
	due := []*container{}
	for _, container := range p.containers {
		if container.due > 0 && container.atRuntime {
			due = append(due, container)
		}
	}
	slices.SortFunc(due, func(a, b *container) int {
		if (a.held == nil) != (b.held == nil) {
			if a.held == nil {
				return -1
			}
			return 1
		}
		return int(a.due) - int(b.due)
	})
	for _, container := range due {
		container.due = 0
	}
	return due
}

// Compact moves containers that may be moved, so that each is compact: one after the other, since a plan of several moves may
// need cores that another container still has at that moment.
func (p *Plugin) Compact(movesMax uint32, update updater) error {
	for range movesMax {
		isMoving, err := p.planMove()
		if err != nil || !isMoving {
			return err
		}
		if err := p.settle(update); err != nil {
			return err
		}
		if err := p.endMove(); err != nil {
			return err
		}
		if err := p.settle(update); err != nil {
			return err
		}
	}
	return nil
}

// endMove frees the cores that a container has left.
func (p *Plugin) endMove() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.leaving = nil
	if err := p.ask("release", nameMessage{ID: leavingID}, nil); err != nil {
		return err
	}
	if err := p.refresh(); err != nil {
		return err
	}
	p.sharedDue()
	return nil
}

// planMove enters one move. The cores that it leaves stay empty until the runtime has carried it out.
func (p *Plugin) planMove() (bool, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.mayMove() {
		return false, nil
	}
	var plan movesAnswer
	if err := p.ask("compact", map[string]uint32{"moves_max": 1}, &plan); err != nil || len(plan.Moves) == 0 {
		return false, err
	}
	p.answers++
	before := p.held()
	for _, container := range p.applyMoves(plan.Moves) {
		p.makeDue(container)
	}
	if p.leaving = before.Minus(p.held()); len(p.leaving) > 0 {
		if err := p.ask("record", recordMessage{ID: leavingID, CPUs: p.leaving.String(), Within: "machine"}, nil); err != nil {
			return false, err
		}
	}
	if err := p.refresh(); err != nil {
		return false, err
	}
	p.sharedDue()
	return true, nil
}

// held are all CPUs that containers have for themselves.
func (p *Plugin) held() CPUs {
	all := CPUs{}
	for _, container := range p.containers {
		if container.held != nil {
			all = all.Or(container.held.cpus).Or(container.held.idle)
		}
	}
	return all
}

// knows reports whether a container has not ended.
func (p *Plugin) knows(id string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.containers[id] != nil
}

// differs reports whether a container has other CPUs than the runtime was last asked to give it.
func (p *Plugin) differs(id, cpus string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	container := p.containers[id]
	return container != nil && container.atRuntime && !container.isForeign() && len(container.sent) > 0 && container.sent.String() != cpus
}

// sendAgain asks the runtime once more for a container's CPUs.
func (p *Plugin) sendAgain(id string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	container := p.containers[id]
	if container == nil || container.isForeign() {
		return
	}
	p.sources.Log.Warn("a container's control group has other CPUs than were sent; they are sent again", append(container.describe(), "cpus", container.sent.String())...)
	p.makeDue(container)
	p.wakeUp()
}

// releaseLost takes the cores back of a container that has no process any more. One that never had any may still be starting.
func (p *Plugin) releaseLost(id string, wasSeen bool) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	container := p.containers[id]
	if container == nil || !wasSeen && time.Since(time.Unix(0, container.created)) < missingAge {
		return false
	}
	p.answers++
	p.sources.Log.Error("a container has no process, and its end was not reported; it is forgotten, and its cores are free", container.describe()...)
	if err := p.release(id); err != nil {
		p.sources.Log.Error("its cores could not be taken back", append(container.describe(), "why", err)...)
	}
	p.sharedDue()
	return true
}
