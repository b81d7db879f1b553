package scheduler

import (
	"context"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
	// evictionTimeout bounds one request.
	evictionTimeout = 10 * time.Second
	mirrorPod       = "kubernetes.io/config.mirror"
)

// proposed is a move, and the pod that it is about.
type proposed struct {
	move
	pod *v1.Pod
}

// startRescheduling moves pods while this process has the lease.
func (p *Plugin) startRescheduling(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	args := p.args.Rescheduling
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: args.LeaseNamespace, Name: args.LeaseName},
		Client:     p.handle.ClientSet().CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, ReleaseOnCancel: true,
		Name: args.LeaseName,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: p.rescheduleForever,
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	go func() {
		for ctx.Err() == nil {
			elector.Run(ctx)
		}
	}()
	return nil
}

func (p *Plugin) rescheduleForever(ctx context.Context) {
	for ctx.Err() == nil {
		policy, changed := p.policyAndChange()
		if policy.RescheduleMs == nil {
			pause(ctx, changed, nil)
			continue
		}
		timer := time.NewTimer(time.Duration(*policy.RescheduleMs) * time.Millisecond)
		if pause(ctx, changed, timer.C) {
			p.rescheduleOnce(ctx)
		}
		timer.Stop()
	}
}

// rescheduleOnce evicts pods of one round. Those that stay are put back.
func (p *Plugin) rescheduleOnce(ctx context.Context) {
	if err := p.waitForSync(ctx); err != nil {
		p.logger.Error(err, "no pods are moved")
		return
	}
	moves, err := p.fleet.reschedule()
	if err != nil {
		p.logger.Error(err, "there are no moves")
		return
	}
	left := p.args.Rescheduling.EvictionsMax
	for _, group := range grouped(moves) {
		left -= p.carryOut(ctx, group, left)
	}
}

// emptyReason is the reason of moves that only make sense together: without all of them, the host does not become empty.
const emptyReason = "empty"

// grouped puts moves together that empty one host, where the first of them is.
func grouped(moves []proposed) [][]proposed {
	var groups [][]proposed
	of := map[string]int{}
	for _, move := range moves {
		if move.Reason != emptyReason {
			groups = append(groups, []proposed{move})
			continue
		}
		at, is := of[move.From]
		if !is {
			at = len(groups)
			of[move.From] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], move)
	}
	return groups
}

// carryOut evicts pods that are moved together, if all may be, and returns how many.
func (p *Plugin) carryOut(ctx context.Context, group []proposed, most int) int {
	var going, staying []proposed
	isWanted := true
	for _, move := range group {
		switch {
		case move.Reason == emptyReason && endsWithNode(move.pod):
			staying = append(staying, move)
		case move.From != move.To && p.mayEvict(move.pod):
			going = append(going, move)
		default:
			isWanted = false
		}
	}
	if !isWanted || len(going) > most {
		going, staying = nil, group
	}
	evicted := 0
	for i, move := range going {
		if !p.evict(ctx, move) {
			// The others would leave their node, which has this pod still, for nothing.
			staying = append(staying, going[i:]...)
			break
		}
		evicted++
	}
	for _, move := range staying {
		p.note(p.fleet.putBack(move.pod.UID), "pod", klog.KObj(move.pod))
	}
	return evicted
}

// endsWithNode returns whether a pod is no reason to keep a node: it goes already, or would not run elsewhere.
func endsWithNode(pod *v1.Pod) bool {
	return isMirror(pod) || isOfDaemonSet(pod) || pod.DeletionTimestamp != nil
}

func isMirror(pod *v1.Pod) bool {
	_, is := pod.Annotations[mirrorPod]
	return is
}

// mayEvict returns whether a pod comes again, by this scheduler and elsewhere, if it is evicted.
func (p *Plugin) mayEvict(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	// Other controllers, too, have DaemonSets.
	return owner != nil && owner.Kind != "DaemonSet" && !isForOneNode(pod) && !isMirror(pod) && pod.Namespace != metav1.NamespaceSystem &&
		pod.DeletionTimestamp == nil && pod.Spec.SchedulerName == p.handle.ProfileName()
}

// evict returns whether the pod goes.
func (p *Plugin) evict(ctx context.Context, move proposed) bool {
	ctx, cancel := context.WithTimeout(ctx, evictionTimeout)
	defer cancel()
	pod := move.pod
	err := p.handle.ClientSet().PolicyV1().Evictions(pod.Namespace).Evict(ctx, &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
		// Not a successor of the same name.
		DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}},
	})
	switch {
	case err == nil:
		movesTotal.Inc()
		p.event(pod, v1.EventTypeNormal, "Rescheduled", "Evicting",
			fmt.Sprintf("evicted from %s (%s), since %s takes it better", move.From, move.Reason, move.To))
		return true
	case apierrors.IsTooManyRequests(err):
		keptTotal.Inc()
	default:
		p.logger.Error(err, "a pod was not evicted", "pod", klog.KObj(pod))
	}
	return false
}
