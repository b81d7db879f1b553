package scheduler

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

const subsystem = "tautochrone_scheduler"

var (
	decisionSeconds = metrics.NewHistogram(&metrics.HistogramOpts{
		Subsystem: subsystem, Name: "decision_seconds", Help: "How long a decision took.",
		Buckets:        []float64{10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 1},
		StabilityLevel: metrics.ALPHA,
	})
	refusalsTotal     = counter("refusals_total", "Decisions that found no node.")
	abstainedTotal    = counter("abstained_total", "Pods that the other plugins placed, because the decisions failed.")
	deskLostTotal     = counter("desk_lost_total", "How often the decisions failed inside and were opened again.")
	windowsTotal      = counter("observed_windows_total", "Windows of loads that were observed.")
	windowsLostTotal  = counter("lost_windows_total", "Windows of loads that were not observed, as too much was impossible or the source failed.")
	impossibleTotal   = counter("impossible_loads_total", "Loads of pods that were left out as impossible.")
	policyErrorsTotal = counter("policy_errors_total", "Policies that could not be used.")
	movesTotal        = counter("moves_total", "Pods that were evicted so that another node takes them.")
	keptTotal         = counter("evictions_refused_total", "Evictions that were refused, as by a disruption budget.")
	refusedNodesTotal = counter("refused_nodes_total", "Nodes whose capacity or annotations could not be used.")
	staleGauge        = metrics.NewGauge(&metrics.GaugeOpts{
		Subsystem: subsystem, Name: "predictions_stale", Help: "Whether the policy's fallback decides, for lack of loads.",
		StabilityLevel: metrics.ALPHA,
	})

	registerOnce sync.Once
)

func counter(name, help string) *metrics.Counter {
	return metrics.NewCounter(&metrics.CounterOpts{Subsystem: subsystem, Name: name, Help: help, StabilityLevel: metrics.ALPHA})
}

// registerMetrics adds them to what the scheduler serves at /metrics.
func registerMetrics() {
	registerOnce.Do(func() {
		legacyregistry.MustRegister(decisionSeconds, refusalsTotal, abstainedTotal, deskLostTotal, windowsTotal, windowsLostTotal,
			impossibleTotal, policyErrorsTotal, movesTotal, keptTotal, refusedNodesTotal, staleGauge)
	})
}
