package node

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// publishEvery is how often a report is published that has not changed, so that a reader sees that the agent lives.
const publishEvery = 5 * time.Minute

// tableEvery is how soon after a change the table is written: a report of another process compares with it.
const tableEvery = 250 * time.Millisecond

// An Agent measures the node in a loop.
type Agent struct {
	Node, Root, KubeletRoot string
	Plugin                  *Plugin
	// API may be nil.
	API       *API
	TableFile string
	Every     time.Duration
	Partition bool
	Log       *slog.Logger

	// Whether other cores are better is asked once for each change.
	answers uint64
	// written is the change after which the table was written last.
	written uint64
	better  map[string]*Better
	last    []byte
	lastAt  time.Time
	wasOff  map[string]bool
	// rounds are what earlier measurements showed of containers that are expected.
	rounds map[string]rounds
}

// rounds count measurements in a row.
type rounds struct {
	missing, differing int
	wasSeen            bool
}

const (
	// missingMax is after how many measurements without a process a container's cores are taken back: its end was not reported.
	missingMax = 3
	// missingAge is how old such a container must be if no measurement has ever shown it.
	missingAge = time.Minute
	// differingMax is after how many measurements in which a control group has other CPUs they are sent again.
	differingMax = 2
)

// Run measures until the context ends.
func (a *Agent) Run(ctx context.Context) {
	ticker, changes := time.NewTicker(a.Every), time.NewTicker(tableEvery)
	defer ticker.Stop()
	defer changes.Stop()
	for {
		if err := a.once(ctx); err != nil && ctx.Err() == nil {
			a.Log.Warn("the node could not be measured", "why", err)
		}
		for isDue := false; !isDue; {
			select {
			case <-ctx.Done():
				return
			case <-changes.C:
				a.writeTable(false)
			case <-ticker.C:
				isDue = true
			}
		}
	}
}

// writeTable leaves what the plugin knows for 'tauto-node report', always or if it has changed.
func (a *Agent) writeTable(always bool) (Table, uint64) {
	table, answers := a.Plugin.Table()
	if a.TableFile != "" && (always || answers != a.written) {
		a.written = answers
		if err := WriteTableFile(a.TableFile, table); err != nil {
			a.Log.Warn("the table for 'tauto-node report' was not written", "why", err)
		}
	}
	return table, answers
}

func (a *Agent) once(ctx context.Context) error {
	table, answers := a.writeTable(true)
	if a.better == nil || answers != a.answers {
		a.answers, a.better = answers, map[string]*Better{}
	}
	input := ReportInput{Node: a.Node, Root: a.Root, KubeletRoot: a.KubeletRoot, AtMs: time.Now().UnixMilli(), Table: &table,
		Better: a.askOnce, Partition: a.Partition, IsGone: func(id string) bool { return !a.Plugin.knows(id) }}
	input.Machine, input.Decisions = a.Plugin.Measured()
	if a.API != nil {
		pods, err := a.API.Pods(ctx)
		if err != nil {
			a.Log.Warn("the pods of this node are unknown", "why", err)
		}
		input.Pods = pods
	}
	report, err := MakeReport(input)
	if err != nil {
		return err
	}
	a.repair(report, table)
	a.logChanges(report)
	if a.API == nil {
		return nil
	}
	return a.publish(ctx, report, input.Machine)
}

// repair takes back the cores of containers whose end was not reported, and sends CPUs again that did not arrive or were changed.
func (a *Agent) repair(report Report, table Table) {
	has := map[string]string{}
	for _, container := range report.Containers {
		has[container.ID] = container.CPUs
	}
	// Where no container is seen, the processes are hidden rather than gone.
	seesAny := false
	for _, container := range table.Containers {
		_, isSeen := has[container.ID]
		seesAny = seesAny || isSeen
	}
	now := map[string]rounds{}
	for _, container := range table.Containers {
		count := a.rounds[container.ID]
		cpus, isSeen := has[container.ID]
		switch {
		case isSeen:
			count.missing, count.wasSeen = 0, true
			if a.Plugin.differs(container.ID, cpus) {
				count.differing++
			} else {
				count.differing = 0
			}
		case count.wasSeen || seesAny:
			count.missing++
			count.differing = 0
		}
		if count.differing >= differingMax {
			count.differing = 0
			a.Plugin.sendAgain(container.ID)
		}
		if count.missing >= missingMax && a.Plugin.releaseLost(container.ID, count.wasSeen) {
			continue
		}
		now[container.ID] = count
	}
	a.rounds = now
}

func (a *Agent) askOnce(of Expected) (*Better, error) {
	if known, is := a.better[of.ID]; is {
		return known, nil
	}
	better, err := a.Plugin.Better(of)
	if err == nil {
		a.better[of.ID] = better
	}
	return better, err
}

// logChanges logs a problem when it appears, not each time.
func (a *Agent) logChanges(report Report) {
	off := map[string]bool{}
	note := func(name, problem string) {
		key := name + ": " + problem
		if off[key] = true; !a.wasOff[key] {
			a.Log.Error("not as it should be", "where", name, "what", problem)
		}
	}
	for _, problem := range report.Problems {
		note("node", problem)
	}
	for _, container := range report.Containers {
		for _, problem := range container.Problems {
			note(container.name(), problem)
		}
	}
	a.wasOff = off
}

func (a *Agent) publish(ctx context.Context, report Report, machine Machine) error {
	same := report
	// These change all the time, and say nothing new.
	same.AtMs, same.Decisions, same.HostProcesses = 0, nil, 0
	same.Containers = append([]ReportContainer{}, report.Containers...)
	for at := range same.Containers {
		same.Containers[at].HostProcesses = 0
	}
	text, err := json.Marshal(same)
	if err != nil {
		return err
	}
	if bytes.Equal(text, a.last) && time.Since(a.lastAt) < publishEvery {
		return nil
	}
	if err := a.API.Publish(ctx, report, machine); err != nil {
		return err
	}
	a.last, a.lastAt = text, time.Now()
	return nil
}
