package scheduler

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"tautochrone.dev/fleet/decisions"
)

// A desk decides. Tests have their own kinds.
type desk interface {
	Call(name string, fields, answer any) error
	Close()
}

// errNoDesk is returned shortly after no desk could be opened.
var errNoDesk = errors.New("the decisions failed inside a moment ago, and are opened again shortly")

// reopenPause keeps a desk that fails on what the cluster has from taking all the time.
const reopenPause = time.Second

func openFleet() (desk, error) {
	opened, err := decisions.OpenFleet()
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// call sends a message. After a lost desk it opens another one and reports what there is; the message is not repeated, since
// it may be what failed.
func (f *fleet) call(name string, fields, answer any) error {
	if f.desk == nil {
		if f.now().Before(f.reopenAt) {
			return errNoDesk
		}
		if !f.reopen() {
			return errNoDesk
		}
	}
	err := f.desk.Call(name, fields, answer)
	if errors.Is(err, decisions.ErrLost) {
		f.logger.Error(err, "another desk is opened", "message", name)
		f.lost()
		f.reopen()
	}
	return err
}

// reopen opens a desk and reports everything. If that loses it again, there is none for a moment.
func (f *fleet) reopen() bool {
	if f.desk != nil {
		f.desk.Close()
		f.desk = nil
	}
	f.reopenAt = f.now().Add(reopenPause)
	nodes, pods, err := f.list()
	if err != nil {
		f.logger.Error(err, "what the cluster has cannot be listed")
		return false
	}
	opened, err := f.open()
	if err != nil {
		f.logger.Error(err, "no desk can be opened")
		return false
	}
	before := f.pods
	f.clear()
	f.desk = replaying{opened}
	f.before = before
	err = f.replay(nodes, pods, before)
	f.before = nil
	if err != nil {
		f.logger.Error(err, "the desk was lost again while it took what the cluster has")
		opened.Close()
		f.desk = nil
		return false
	}
	f.desk = opened
	return true
}

// replaying hides that a desk was lost from call, which would begin again.
type replaying struct{ desk }

var errLostAgain = errors.New("the decisions failed inside again")

func (r replaying) Call(name string, fields, answer any) error {
	if err := r.desk.Call(name, fields, answer); !errors.Is(err, decisions.ErrLost) {
		return err
	}
	return errLostAgain
}

func (f *fleet) replay(nodes []*v1.Node, pods []*v1.Pod, before map[types.UID]*knownPod) error {
	if f.policy != "" {
		if err := f.call("policy", policyRequest{f.policy, f.nowMs()}, nil); err != nil {
			return err
		}
	}
	for _, node := range nodes {
		if _, err := f.setNode(node); isOurs(err) {
			return err
		}
	}
	for _, pod := range pods {
		if err := f.setPod(pod); isOurs(err) {
			return err
		}
	}
	for uid, known := range before {
		// What is reserved is in no lister yet.
		if !known.isBound && f.pods[uid] == nil {
			if err := f.assign(known.pod, known.node, false); isOurs(err) {
				return err
			}
		}
	}
	return nil
}

// isOurs returns whether an error is a failure of ours, not a refusal.
func isOurs(err error) bool {
	var refusal decisions.Refusal
	return err != nil && !errors.As(err, &refusal)
}
