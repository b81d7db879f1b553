package scheduler

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tautochrone.dev/fleet/decisions"
)

// breaking is a desk that fails when it is to.
type breaking struct {
	desk
	isToFail *atomic.Bool
}

func (b breaking) Call(name string, fields, answer any) error {
	if name == "decide" && b.isToFail.Load() {
		return decisions.ErrLost
	}
	return b.desk.Call(name, fields, answer)
}

func TestALostDeskIsOpenedAgain(t *testing.T) {
	var isToFail atomic.Bool
	opened := 0
	open := func() (desk, error) {
		opened++
		real, err := openFleet()
		return breaking{real, &isToFail}, err
	}
	h := newHarness(t, policyArgs(), open, append(newNodes(3), on(newPod("old", "1"), "n0"), policyMap("policy: mine\nextends: pack\n"))...)
	until(t, "all is known", func() bool { return h.figures() == figures{"mine", false, 3, 1} })
	h.place(newPod("reserved", "1"))
	isToFail.Store(true)
	state, hosts, status := h.decide(newPod("p", "1"))
	if hosts != nil || !status.IsSuccess() {
		t.Errorf("it abstains: %v, %v", hosts, status)
	}
	if status := h.PreScore(context.Background(), state, nil, nil); !status.IsSkip() {
		t.Errorf("the others score: %v", status)
	}
	if score, _ := h.Score(context.Background(), state, nil, nodeInfo{node: newNode("n0", "8")}); score != 0 {
		t.Errorf("score %d", score)
	}
	if opened != 2 || h.handle.recorder.find("DecisionsLost") == "" {
		t.Errorf("opened %d desks", opened)
	}
	isToFail.Store(false)
	if state := h.figures(); state != (figures{"mine", false, 3, 2}) {
		t.Errorf("the other desk has %+v", state)
	}
	if _, hosts, _ := h.decide(newPod("p", "1")); len(hosts) != 3 {
		t.Errorf("it decides again: %v", hosts)
	}
}

// broken is a desk that is lost at once.
type broken struct{ desk }

func (broken) Call(string, any, any) error { return decisions.ErrLost }

func TestADeskThatIsLostAgainIsNotOpenedAllTheTime(t *testing.T) {
	opened, fleetNow := 0, time.UnixMilli(1_700_000_000_000)
	open := func() (desk, error) {
		opened++
		real, err := openFleet()
		if opened > 1 {
			real = broken{real}
		}
		return real, err
	}
	h := newHarness(t, &Args{}, open, newNodes(1)...)
	h.fleet.now = func() time.Time { return fleetNow }
	h.fleet.desk = broken{h.fleet.desk}
	for range 5 {
		if _, hosts, status := h.decide(newPod("p", "1")); hosts != nil || !status.IsSuccess() {
			t.Errorf("it abstains: %v, %v", hosts, status)
		}
	}
	if opened != 2 {
		t.Errorf("opened %d desks in no time", opened)
	}
	fleetNow = fleetNow.Add(2 * reopenPause)
	h.decide(newPod("p", "1"))
	if opened != 3 {
		t.Errorf("opened %d desks", opened)
	}
}

func TestAnotherLibraryIsRefused(t *testing.T) {
	h := &handle{}
	wrong := errors.New("libtautochrone has version 1")
	if _, err := start(context.Background(), &Args{}, h, func() (desk, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Errorf("found %v", err)
	}
}
