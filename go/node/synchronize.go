package node

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/containerd/nri/pkg/api"
)

// Synchronize rebuilds the leases from what the containers have, as after a start of the plugin or of the runtime.
func (p *Plugin) Synchronize(_ context.Context, pods []*api.PodSandbox, listed []*api.Container) ([]*api.ContainerUpdate, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.answers++
	before := p.machine
	p.leaving = nil
	p.containers = map[string]*container{}
	// Naming the machine makes the allocator forget its leases.
	if err := p.start(); err != nil {
		return nil, err
	}
	if before.Online != nil && before.Fingerprint() != p.machine.Fingerprint() {
		p.sources.Log.Warn("the machine has changed", "online_before", before.Online.String(), "online", p.machine.Online.String())
	}
	has := map[string]CPUs{}
	for _, container := range p.enter(pods, listed, has) {
		// Those without cores get some after all others have theirs.
		var moves []step
		err := p.fitsPod(container)
		if err == nil {
			moves, err = p.grant(container, 0)
		}
		if err != nil {
			container.problem = err.Error()
			p.sources.Log.Error("a running container has no cores of its own, and shares", append(container.describe(), "why", inFull(err))...)
			p.sources.Warn(container.pod, "NoWholeCores", "it runs on shared CPUs: "+err.Error())
			continue
		}
		p.applyMoves(moves)
	}
	state, err := p.state()
	if err != nil {
		return nil, err
	}
	leases := map[string]heldAnswer{}
	for _, lease := range state.Leases {
		leases[lease.ID] = lease
	}
	shared, own := []*api.ContainerUpdate{}, []*api.ContainerUpdate{}
	for _, container := range p.sorted() {
		if lease, is := leases[container.lease()]; is {
			if container.held, err = heldFrom(lease.CPUs, lease.Idle, lease.MemoryNodes); err != nil {
				return nil, err
			}
		}
		switch {
		case container.isForeign():
		case container.held != nil:
			// Written again even where nothing changes: the runtime's record may differ from the control group.
			own = append(own, p.updateOf(container))
		case container.demand != nil || !has[container.id].Equal(p.shared):
			shared = append(shared, p.updateOf(container))
		default:
			container.sent = p.shared
		}
	}
	p.problem = ""
	p.sources.Log.Info("the leases are rebuilt", "containers", len(p.containers), "with_cores", len(own), "shared", p.shared.String())
	select {
	case p.synchronized <- struct{}{}:
	default:
	}
	return append(shared, own...), nil
}

// enter records the cores that containers have, and returns those that should have some and do not.
func (p *Plugin) enter(pods []*api.PodSandbox, listed []*api.Container, has map[string]CPUs) []*container {
	podOf := map[string]*api.PodSandbox{}
	for _, pod := range pods {
		podOf[pod.GetId()] = pod
	}
	byID := map[string]*api.Container{}
	all := []*container{}
	for _, each := range listed {
		pod := podOf[each.GetPodSandboxId()]
		if pod == nil || each.GetState() == api.ContainerState_CONTAINER_STOPPED {
			continue
		}
		container := newContainer(pod, each)
		container.atRuntime = true
		byID[container.id] = each
		all = append(all, container)
	}
	slices.SortFunc(all, byAge)
	wanting := []*container{}
	for _, container := range all {
		each := byID[container.id]
		p.containers[container.id] = container
		cpus, err := ParseCPUs(each.GetLinux().GetResources().GetCpu().GetCpus())
		if err != nil {
			p.sources.Log.Error("a container's CPUs cannot be read", append(container.describe(), "error", err)...)
		}
		has[container.id] = cpus
		wanted, err := demandOf(podOf[each.GetPodSandboxId()], each)
		if err != nil {
			// It was created while the plugin was away.
			container.problem = err.Error()
			p.sources.Log.Error("a running container cannot have whole cores, and shares", append(container.describe(), "why", err)...)
			p.sources.Warn(container.pod, "NoWholeCores", "it runs on shared CPUs: "+err.Error())
			continue
		}
		if wanted == nil {
			p.noteForeign(container, each)
			continue
		}
		container.demand = wanted
		if p.keeps(container, cpus) {
			continue
		}
		if container.problem == "" {
			wanting = append(wanting, container)
		}
	}
	return wanting
}

// keeps records what a container has, and reports whether it may keep it.
func (p *Plugin) keeps(container *container, cpus CPUs) bool {
	if gone := cpus.Minus(p.machine.Online); len(gone) > 0 {
		container.problem = fmt.Sprintf("CPUs %s of container '%s' are not online any more; it runs on shared CPUs: create the pod again, "+
			"or bring the CPUs back", gone, container.name)
		p.sources.Log.Error("a container's CPUs are gone", append(container.describe(), "cpus", cpus.String(), "gone", gone.String())...)
		p.sources.Warn(container.pod, "CoresGone", container.problem)
		return false
	}
	if len(cpus) != int(container.demand.cpus) {
		// The shared set, or none: it was created while the plugin was away.
		p.sources.Log.Warn("a running container has no whole cores yet", append(container.describe(), "cpus", cpus.String())...)
		return false
	}
	container.held = &held{cpus: cpus}
	if err := p.ask("record", container.record(), nil); err != nil {
		container.held = nil
		err = p.withoutOthers(container, err)
		p.sources.Log.Error("a container's cores contradict the other leases; it gets others", append(container.describe(), "cpus", cpus.String(), "why", inFull(err))...)
		p.sources.Warn(container.pod, "CoresContradict", fmt.Sprintf("container '%s' had CPUs %s and gets others: %s", container.name, cpus, err))
		return false
	}
	container.way = wayNRI
	return true
}

// noteForeign leaves containers alone whose CPUs the kubelet or a resource claim chose, and keeps their cores from being leased.
func (p *Plugin) noteForeign(container *container, of *api.Container) {
	cpus, err := ParseCPUs(of.GetLinux().GetResources().GetCpu().GetCpus())
	if err != nil {
		return
	}
	isClaim := func(device *api.CDIDevice) bool { return strings.HasPrefix(device.GetName(), draDevice) }
	// A device alone proves nothing, since pods can name some: its driver has given the container CPUs, and never those of the
	// shared set, which has the reserved ones.
	if slices.ContainsFunc(of.GetCDIDevices(), isClaim) && len(cpus) > 0 && !cpus.Overlaps(p.settings.Reserved) {
		container.way = wayDRA
	}
	if state, err := ReadKubeletState(p.settings.KubeletRoot); err == nil && container.way == wayShared {
		if own := state.CPUsOf(container.pod.UID, container.name); len(own) > 0 {
			container.way, cpus = wayStatic, own
		}
	}
	if !container.isForeign() {
		return
	}
	container.held = &held{cpus: cpus, idle: p.machine.Siblings(cpus)}
	if err := p.ask("record", container.record(), nil); err != nil {
		container.held = nil
		err = p.withoutOthers(container, err)
		container.problem = err.Error()
		p.sources.Log.Error("CPUs that another manager gave contradict the leases", append(container.describe(), "way", container.way, "cpus", cpus.String(), "why", inFull(err))...)
		p.sources.Warn(container.pod, "CoresContradict", err.Error())
		return
	}
	if err := p.refresh(); err != nil {
		p.sources.Log.Error("the shared set is unknown", "error", err)
	}
}
