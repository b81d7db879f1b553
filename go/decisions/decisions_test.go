package decisions

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

type place struct {
	Host  string `json:"host"`
	Value int    `json:"value"`
}

func TestADeskAnswers(t *testing.T) {
	fleet, err := OpenFleet()
	if err != nil {
		t.Fatal(err)
	}
	defer fleet.Close()
	host := map[string]any{"host": "n1", "at_ms": 1000, "cpu_milli": 4000, "memory_mib": 1024}
	if err := fleet.Call("host", host, nil); err != nil {
		t.Fatal(err)
	}
	var decided struct {
		Hosts   []place `json:"hosts"`
		Refused *string `json:"refused"`
	}
	job := map[string]any{"job": "p", "at_ms": 1001, "cpu_milli": 1000, "memory_mib": 64}
	if err := fleet.Call("decide", map[string]any{"job": job, "most": 3}, &decided); err != nil {
		t.Fatal(err)
	}
	if len(decided.Hosts) != 1 || decided.Hosts[0].Host != "n1" || decided.Refused != nil {
		t.Errorf("decided %+v", decided)
	}
	var refusal Refusal
	err = fleet.Call("assume", map[string]any{"job": job, "host": "n2"}, nil)
	if !errors.As(err, &refusal) || refusal != "there is no node 'n2'" {
		t.Errorf("refused: %v", err)
	}
}

func TestANodeHasItsMachine(t *testing.T) {
	node, err := OpenNode()
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	if err := node.Call("machine", map[string]any{"reserved": "0"}, nil); err != nil {
		t.Fatal(err)
	}
	var state struct {
		Shared string `json:"shared"`
	}
	if err := node.Call("state", map[string]any{}, &state); err != nil || !strings.HasPrefix(state.Shared, "0") {
		t.Errorf("state %+v, %v", state, err)
	}
}

func TestManyMayAskAtOnce(t *testing.T) {
	fleet, err := OpenFleet()
	if err != nil {
		t.Fatal(err)
	}
	defer fleet.Close()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				if err := fleet.Call("state", map[string]any{"at_ms": 1}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}
