package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// KubeletState is what the kubelet's CPU manager has stored.
type KubeletState struct {
	Policy  string                       `json:"policyName"`
	Default string                       `json:"defaultCpuSet"`
	Entries map[string]map[string]string `json:"entries"`
}

// ReadKubeletState reads cpu_manager_state. Without the file the policy is 'none'.
func ReadKubeletState(kubeletRoot string) (KubeletState, error) {
	path := filepath.Join(kubeletRoot, "cpu_manager_state")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return KubeletState{Policy: "none"}, nil
	}
	if err != nil {
		return KubeletState{}, err
	}
	var state KubeletState
	if err := json.Unmarshal(text, &state); err != nil {
		return KubeletState{}, fmt.Errorf("%s: %w", path, err)
	}
	return state, nil
}

// CPUsOf returns the CPUs that the kubelet gave to a container alone.
func (s KubeletState) CPUsOf(podUID, container string) CPUs {
	cpus, err := ParseCPUs(s.Entries[podUID][container])
	if err != nil {
		return nil
	}
	return cpus
}

// Problem says why the kubelet would work against the plugin; empty if it does not.
func (s KubeletState) Problem() string {
	if s.Policy == "" || s.Policy == "none" {
		return ""
	}
	return fmt.Sprintf("the kubelet's CPU manager has policy '%s', expected 'none', since it gives the same cores out a second time: "+
		"set cpuManagerPolicy: none, remove cpu_manager_state, and restart the kubelet", s.Policy)
}
