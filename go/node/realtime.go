package node

import (
	"fmt"
	"strconv"
	"strings"
)

// Real-time scheduling came to NRI with version 0.11; a runtime before that ignores it without a word.
const (
	realTimeMajor = 0
	realTimeMinor = 11
)

// SetRuntimeNRI notes the version of NRI that the runtime has.
func (p *Plugin) SetRuntimeNRI(version string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.runtimeNRI = version
}

func (p *Plugin) mayBeRealTime() error {
	if !p.settings.RealTime {
		return fmt.Errorf("annotation %s asks for real-time scheduling, which is off on this node: remove it, or start tauto-node with --real-time",
			annotationRealTime)
	}
	if !hasRealTime(p.runtimeNRI) {
		return fmt.Errorf("annotation %s asks for real-time scheduling, which the runtime's NRI '%s' does not have; expected %d.%d or later: "+
			"update containerd, or remove the annotation", annotationRealTime, p.runtimeNRI, realTimeMajor, realTimeMinor)
	}
	return nil
}

func hasRealTime(version string) bool {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return false
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return false
	}
	return major > realTimeMajor || minor >= realTimeMinor
}
