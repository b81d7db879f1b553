package scheduler

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"tautochrone.dev/fleet/decisions"
)

// watch follows nodes, pods and the policy.
func (p *Plugin) watch(ctx context.Context) error {
	core := p.handle.SharedInformerFactory().Core().V1()
	follow := func(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) error {
		registration, err := informer.AddEventHandler(handler)
		if err == nil {
			p.synced = append(p.synced, registration.HasSynced)
		}
		return err
	}
	err := follow(core.Nodes().Informer(), cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { p.enterNode(object.(*v1.Node)) },
		UpdateFunc: func(_, object any) { p.enterNode(object.(*v1.Node)) },
		DeleteFunc: func(object any) {
			if node, is := last(object).(*v1.Node); is {
				p.note(p.fleet.removeNode(node.Name), "node", klog.KObj(node))
			}
		},
	})
	if err != nil {
		return err
	}
	err = follow(core.Pods().Informer(), cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { p.enterPod(object.(*v1.Pod)) },
		UpdateFunc: func(before, object any) {
			earlier, pod := before.(*v1.Pod), object.(*v1.Pod)
			if earlier.UID != pod.UID {
				// The events between were missed.
				p.removePod(earlier)
			}
			p.enterPod(pod)
		},
		DeleteFunc: func(object any) {
			if pod, is := last(object).(*v1.Pod); is {
				p.removePod(pod)
			}
		},
	})
	if err != nil {
		return err
	}
	return p.watchPolicy(ctx, follow)
}

// last returns the object of a deletion, whose last state may have been missed.
func last(object any) any {
	if missed, is := object.(cache.DeletedFinalStateUnknown); is {
		return missed.Obj
	}
	return object
}

func (p *Plugin) enterNode(node *v1.Node) {
	complaints, err := p.fleet.enterNode(node)
	p.report(node, complaints, err)
}

// report attaches to a node what about it could not be used.
func (p *Plugin) report(node *v1.Node, complaints []error, err error) {
	var refusal decisions.Refusal
	if errors.As(err, &refusal) {
		complaints = append(complaints, refusal)
		err = nil
	}
	for _, complaint := range complaints {
		refusedNodesTotal.Inc()
		p.event(node, v1.EventTypeWarning, "NodeRefused", "Reading", complaint.Error())
	}
	p.note(err, "node", klog.KObj(node))
}

func (p *Plugin) enterPod(pod *v1.Pod) { p.note(p.fleet.enterPod(pod), "pod", klog.KObj(pod)) }

func (p *Plugin) removePod(pod *v1.Pod) {
	p.note(p.fleet.removePod(pod), "pod", klog.KObj(pod))
	p.refusals.remove(pod)
	p.refused.clear(pod.UID)
}

// note logs what could not be reported. After a lost desk, the next one gets everything again.
func (p *Plugin) note(err error, what string, which klog.ObjectRef) {
	if err != nil {
		p.logger.Error(err, "a change could not be reported", what, which)
	}
}

// watchPolicy follows one ConfigMap.
func (p *Plugin) watchPolicy(ctx context.Context, follow func(cache.SharedIndexInformer, cache.ResourceEventHandler) error) error {
	args := p.args.Policy
	if args == nil {
		return nil
	}
	factory := informers.NewSharedInformerFactoryWithOptions(p.handle.ClientSet(), 0, informers.WithNamespace(args.Namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, args.Name).String()
		}))
	maps := factory.Core().V1().ConfigMaps()
	// The selector of names is not in fakes of the API.
	isIt := func(object any) (*v1.ConfigMap, bool) {
		found, is := last(object).(*v1.ConfigMap)
		return found, is && found.Name == args.Name
	}
	enter := func(object any) {
		if found, is := isIt(object); is {
			p.enterPolicy(found)
		}
	}
	err := follow(maps.Informer(), cache.ResourceEventHandlerFuncs{
		AddFunc: enter,
		UpdateFunc: func(before, object any) {
			earlier, _ := isIt(before)
			if found, is := isIt(object); is && (earlier == nil || earlier.Data[args.Key] != found.Data[args.Key]) {
				p.enterPolicy(found)
			}
		},
		DeleteFunc: func(object any) {
			if _, is := isIt(object); is {
				p.policyMissing()
			}
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	go func() {
		if !cache.WaitForCacheSync(ctx.Done(), maps.Informer().HasSynced) {
			return
		}
		if _, err := maps.Lister().ConfigMaps(args.Namespace).Get(args.Name); err != nil {
			p.policyMissing()
		}
	}()
	return nil
}

// enterPolicy uses a ConfigMap's policy. If it cannot be used, the earlier one stays.
func (p *Plugin) enterPolicy(from *v1.ConfigMap) {
	text, is := from.Data[p.args.Policy.Key]
	err := error(nil)
	if is {
		err = p.usePolicy(text)
	} else {
		err = fmt.Errorf("there is no key '%s'", p.args.Policy.Key)
	}
	if err == nil {
		p.event(from, v1.EventTypeNormal, "PolicyUsed", "Reading", fmt.Sprintf("the policy '%s' decides from now on", p.policy().Name))
		return
	}
	policyErrorsTotal.Inc()
	p.event(from, v1.EventTypeWarning, "PolicyRefused", "Reading",
		fmt.Sprintf("the policy '%s' stays, since the new one cannot be used: %s", p.policy().Name, err))
}

func (p *Plugin) policyMissing() {
	if err := p.usePolicy(p.args.builtInText()); err != nil {
		p.logger.Error(err, "the built-in policy cannot be used")
	}
	p.event(p.self(), v1.EventTypeWarning, "PolicyMissing", "Reading",
		fmt.Sprintf("there is no ConfigMap %s/%s; the built-in policy '%s' decides", p.args.Policy.Namespace, p.args.Policy.Name, p.args.Policy.BuiltIn))
}

func (p *Plugin) usePolicy(text string) error {
	answer, err := p.fleet.setPolicy(text)
	if err != nil {
		return err
	}
	p.policyMutex.Lock()
	p.inUse = answer
	close(p.changed)
	p.changed = make(chan struct{})
	p.policyMutex.Unlock()
	// No event of the cluster reports that another policy may take them.
	if waiting := p.refusals.pods(); len(waiting) > 0 {
		p.handle.Activate(p.logger, waiting)
	}
	return nil
}

func (p *Plugin) policy() policyAnswer {
	answer, _ := p.policyAndChange()
	return answer
}

// policyAndChange also returns what is closed when the policy changes.
func (p *Plugin) policyAndChange() (policyAnswer, <-chan struct{}) {
	p.policyMutex.Lock()
	defer p.policyMutex.Unlock()
	return p.inUse, p.changed
}

// eventBytesMax is what the API server takes as an event's note.
const eventBytesMax = 1024

func (p *Plugin) event(about runtime.Object, kind, reason, action, note string) {
	if len(note) > eventBytesMax {
		note = cut(note, eventBytesMax-3) + "..."
	}
	p.handle.EventRecorder().Eventf(about, nil, kind, reason, action, "%s", note)
}

// self is what events about the plugin are attached to.
func (p *Plugin) self() runtime.Object {
	if args := p.args.Policy; args != nil {
		return &v1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: args.Namespace, Name: args.Name}
	}
	return &v1.ObjectReference{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Namespace: "kube-system", Name: "kube-scheduler"}
}
