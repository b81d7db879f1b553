package scheduler

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
)

const (
	// settleMax lets the last values of a window reach their source.
	settleMax = 2 * time.Second
	// freshnessEvery is how often freshness is checked without a source.
	freshnessEvery = 30 * time.Second
)

// watchLoads observes each window while the policy predicts.
func (p *Plugin) watchLoads(ctx context.Context) {
	for ctx.Err() == nil {
		policy, changed := p.policyAndChange()
		if policy.WindowMs == nil || *policy.WindowMs == 0 {
			p.setStale(false)
			if !pause(ctx, changed, nil) {
				return
			}
			continue
		}
		p.watchWindow(ctx, changed, time.Duration(*policy.WindowMs)*time.Millisecond)
	}
}

// watchWindow waits for the end of a window and observes it, unless the policy changes.
func (p *Plugin) watchWindow(ctx context.Context, changed <-chan struct{}, window time.Duration) {
	ended := windowEnd(p.fleet.now(), window)
	settled := min(settleMax, window/samplesInWindow)
	every := sampleEvery(window)
	if p.source == nil {
		every = freshnessEvery
	}
	for {
		now := p.fleet.now()
		left := ended.Add(settled).Sub(now)
		if left <= 0 {
			break
		}
		timer := time.NewTimer(min(left, every))
		if !pause(ctx, changed, timer.C) {
			timer.Stop()
			return
		}
		if now := p.fleet.now(); p.source != nil && now.Before(ended) {
			if err := p.source.take(ctx, now); err != nil {
				p.logger.Error(err, "loads cannot be read")
			}
		}
		p.checkFreshness()
	}
	if p.source != nil {
		p.observe(ctx, p.source, ended, window)
	}
	p.checkFreshness()
}

// pause returns whether the time has come, or, without a time, whether the policy changed.
func pause(ctx context.Context, changed <-chan struct{}, until <-chan time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-changed:
		return until == nil
	case <-until:
		return true
	}
}

func (p *Plugin) observe(ctx context.Context, source loadSource, ended time.Time, window time.Duration) {
	from := ended.Add(-window)
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	samples, err := source.samples(ctx, from, ended)
	if err != nil {
		windowsLostTotal.Inc()
		p.logger.Error(err, "a window of loads is missing", "ended", ended)
		return
	}
	result, err := summarize(samples, p.fleet.runningPods(), from, ended)
	impossibleTotal.Add(float64(result.impossible))
	if err != nil {
		windowsLostTotal.Inc()
		p.event(p.self(), v1.EventTypeWarning, "LoadsImpossible", "Observing", err.Error())
		return
	}
	if len(result.jobs) == 0 {
		// An empty window would look fresh.
		windowsLostTotal.Inc()
		p.logger.Info("a window of loads has no pod that ran in all of it", "ended", ended)
		return
	}
	if err := p.fleet.observe(result); err != nil {
		windowsLostTotal.Inc()
		p.logger.Error(err, "a window of loads could not be reported", "ended", ended)
		return
	}
	windowsTotal.Inc()
}

func (p *Plugin) checkFreshness() {
	state, err := p.fleet.state()
	if err != nil {
		p.logger.Error(err, "whether predictions are stale is not known")
		return
	}
	p.setStale(state.IsStale)
}

// setStale reports the change once.
func (p *Plugin) setStale(is bool) {
	if is {
		staleGauge.Set(1)
	} else {
		staleGauge.Set(0)
	}
	if p.isStale.Swap(is) == is {
		return
	}
	if is {
		p.event(p.self(), v1.EventTypeWarning, "PredictionsStale", "Observing", "no loads were observed for too long; the policy's fallback decides")
	} else {
		p.event(p.self(), v1.EventTypeNormal, "PredictionsFresh", "Observing", "the policy itself decides again")
	}
}
