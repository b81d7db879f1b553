package scheduler

import "encoding/json"

// The fields of messages to the desk and of its answers, as crates/fleet/decisions defines them.

type hostRecord struct {
	Host          string  `json:"host"`
	AtMs          uint64  `json:"at_ms"`
	CPUMilli      uint32  `json:"cpu_milli"`
	MemoryMiB     uint32  `json:"memory_mib"`
	NUMANodes     uint32  `json:"numa_nodes"`
	Threads       uint32  `json:"threads"`
	Pool          string  `json:"pool"`
	Cluster       string  `json:"cluster"`
	NoisePermille *uint32 `json:"noise_permille,omitempty"`
	Price         uint32  `json:"price"`
}

type jobRecord struct {
	Job              string  `json:"job"`
	AtMs             uint64  `json:"at_ms"`
	CPUMilli         uint32  `json:"cpu_milli"`
	MemoryMiB        uint32  `json:"memory_mib"`
	Level            string  `json:"level"`
	Service          string  `json:"service,omitempty"`
	Apart            bool    `json:"apart,omitempty"`
	NoiseMaxPermille *uint32 `json:"noise_max_permille,omitempty"`
	// IdleSiblings is whether nobody else runs on the other threads of its cores.
	IdleSiblings bool `json:"idle_siblings,omitempty"`
}

type changeRecord struct {
	Change string   `json:"change"`
	AtMs   uint64   `json:"at_ms"`
	To     standing `json:"to"`
}

type standing string

const (
	up    standing = "up"
	drain standing = "drain"
	down  standing = "down"
)

// How much the desk says about a decision. About one that finds no node it says all.
const (
	explainBrief = "brief"
	explainFull  = "full"
)

type decideRequest struct {
	Job     jobRecord `json:"job"`
	Only    *[]string `json:"only,omitempty"`
	Except  []string  `json:"except,omitempty"`
	Most    int       `json:"most"`
	Explain string    `json:"explain,omitempty"`
}

type assumeRequest struct {
	Job  jobRecord `json:"job"`
	Host string    `json:"host"`
}

type forgetRequest struct {
	Job  string `json:"job"`
	AtMs uint64 `json:"at_ms"`
}

type observeRequest struct {
	EndedMs uint64                  `json:"ended_ms"`
	AtMs    uint64                  `json:"at_ms"`
	Jobs    map[string]observedLoad `json:"jobs"`
	Hosts   map[string]uint32       `json:"hosts"`
}

type observedLoad struct {
	MeanMilli uint32 `json:"mean_milli"`
	PeakMilli uint32 `json:"peak_milli"`
}

type policyRequest struct {
	Text string `json:"text"`
	AtMs uint64 `json:"at_ms"`
}

type timeRequest struct {
	AtMs uint64 `json:"at_ms"`
}

type place struct {
	Host  string `json:"host"`
	Value uint32 `json:"value"`
}

type decided struct {
	Hosts    []place         `json:"hosts"`
	Refused  *string         `json:"refused"`
	Decision json.RawMessage `json:"decision"`
}

// policyAnswer has times in milliseconds; nil where the policy does not predict or move.
type policyAnswer struct {
	Name         string  `json:"name"`
	WindowMs     *uint64 `json:"window_ms"`
	RescheduleMs *uint64 `json:"reschedule_ms"`
}

type move struct {
	Job    string `json:"job"`
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

type figures struct {
	Policy  string `json:"policy"`
	IsStale bool   `json:"is_stale"`
	Hosts   int    `json:"hosts"`
	Jobs    int    `json:"jobs"`
}
