package node

import (
	"errors"

	"tautochrone.dev/fleet/decisions"
)

// A Desk answers the messages of crates/fleet/decisions/src/node.rs.
type Desk interface {
	Call(name string, fields, answer any) error
	Close()
}

// OpenDesk opens the allocator that is linked into this program.
func OpenDesk() (Desk, error) { return decisions.OpenNode() }

type machineMessage struct {
	HwlocXML string `json:"hwloc_xml,omitempty"`
	Reserved string `json:"reserved"`
}

type wish struct {
	ID          string `json:"id"`
	CPUs        uint32 `json:"cpus"`
	Siblings    string `json:"siblings"`
	Within      string `json:"within"`
	MemoryBytes uint64 `json:"memory_bytes"`
	MayMove     bool   `json:"may_move"`
	MovesMax    uint32 `json:"moves_max"`
}

type recordMessage struct {
	ID          string `json:"id"`
	CPUs        string `json:"cpus"`
	Within      string `json:"within"`
	MemoryBytes uint64 `json:"memory_bytes"`
	MayMove     bool   `json:"may_move"`
}

type nameMessage struct {
	ID string `json:"id"`
}

type grantAnswer struct {
	CPUs        string   `json:"cpus"`
	Idle        string   `json:"idle"`
	MemoryNodes CPUs     `json:"memory_nodes"`
	Reasons     []string `json:"reasons"`
	Moves       []step   `json:"moves"`
}

type step struct {
	ID          string `json:"id"`
	To          string `json:"to"`
	MemoryNodes CPUs   `json:"memory_nodes"`
	Price       uint64 `json:"price"`
}

type movesAnswer struct {
	Moves []step `json:"moves"`
	Price uint64 `json:"price"`
}

type stateAnswer struct {
	Shared    string       `json:"shared"`
	Reserved  string       `json:"reserved"`
	FreeCores uint32       `json:"free_cores"`
	Leases    []heldAnswer `json:"leases"`
}

type heldAnswer struct {
	ID          string `json:"id"`
	CPUs        string `json:"cpus"`
	Idle        string `json:"idle"`
	MemoryNodes CPUs   `json:"memory_nodes"`
}

func isRefusal(err error) bool {
	var refusal decisions.Refusal
	return errors.As(err, &refusal)
}

func isLost(err error) bool { return errors.Is(err, decisions.ErrLost) }
