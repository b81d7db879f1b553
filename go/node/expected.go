package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// TableSchema names the table's fields.
const TableSchema = "tautochrone/node-table/1"

// Table returns what the plugin knows, and a number that changes with it.
func (p *Plugin) Table() (Table, uint64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	table := Table{Schema: TableSchema, Reserved: p.settings.Reserved.String(), Shared: p.shared.String(), Problem: p.problem, Containers: []Expected{}}
	for _, container := range p.sorted() {
		entry := Expected{Pod: container.pod, Container: container.name, ID: container.id, Sandbox: container.sandbox, Way: container.way,
			Within: "machine", Starting: !container.atRuntime, Problem: container.problem}
		if container.held != nil {
			entry.CPUs, entry.Idle, entry.MemoryNodes = container.held.cpus.String(), container.held.idle.String(), container.held.memoryNodes.String()
		}
		if container.demand != nil {
			entry.Within, entry.MayMove = container.demand.within, container.demand.mayMove
		}
		table.Containers = append(table.Containers, entry)
	}
	return table, p.answers
}

// Better asks the plugin's own desk.
func (p *Plugin) Better(of Expected) (*Better, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	container := p.containers[of.ID]
	if container == nil || container.held == nil {
		// It has ended meanwhile.
		return nil, nil
	}
	return askBetter(p.ask, container.lease())
}

// Measured returns the machine and the times of the latest decisions.
func (p *Plugin) Measured() (Machine, *Decisions) {
	p.mutex.Lock()
	machine := p.machine
	p.mutex.Unlock()
	count, median, most := p.timings.quantiles()
	return machine, &Decisions{Count: count, MedianNs: median.Nanoseconds(), P99Ns: most.Nanoseconds()}
}

func askBetter(ask func(string, any, any) error, lease string) (*Better, error) {
	var granted *grantAnswer
	if err := ask("better", nameMessage{ID: lease}, &granted); err != nil || granted == nil {
		return nil, err
	}
	return &Better{CPUs: granted.CPUs, MemoryNodes: granted.MemoryNodes.String(), Reasons: granted.Reasons}, nil
}

// BetterFrom opens a desk that knows a table's leases, for a process without the plugin.
func BetterFrom(table Table, machine Machine, open func() (Desk, error)) (func(Expected) (*Better, error), error) {
	desk, err := open()
	if err != nil {
		return nil, err
	}
	if err := desk.Call("machine", machineMessage{HwlocXML: machine.XML, Reserved: table.Reserved}, nil); err != nil {
		return nil, err
	}
	for _, container := range table.Containers {
		if container.CPUs == "" {
			continue
		}
		message := recordMessage{ID: container.ID, CPUs: container.CPUs, Within: container.Within, MayMove: container.MayMove}
		if err := desk.Call("record", message, nil); err != nil {
			return nil, err
		}
	}
	return func(of Expected) (*Better, error) { return askBetter(desk.Call, of.ID) }, nil
}

// WriteTableFile replaces the file as a whole, so that a reader never finds half of it.
func WriteTableFile(path string, table Table) error {
	text, err := json.Marshal(table)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	written := path + ".new"
	if err := os.WriteFile(written, text, 0o600); err != nil {
		return err
	}
	return os.Rename(written, path)
}

// ReadTableFile returns nil if there is no plugin on this node.
func ReadTableFile(path string) (*Table, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var table Table
	if err := json.Unmarshal(text, &table); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if table.Schema != TableSchema {
		return nil, fmt.Errorf("%s has schema '%s', expected '%s': use the tauto-node of the running plugin", path, table.Schema, TableSchema)
	}
	return &table, nil
}

// LockTable keeps a second plugin from this node: both would give out the same cores. The lock ends with the process.
func LockTable(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("another tauto-node runs on this node, as %s.lock shows; expected one, since both would give out the same cores: end it first", path)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}
