package node

import (
	"encoding/xml"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Machine is what the report needs of the topology. The allocator reads the topology itself.
type Machine struct {
	Online CPUs
	// Cores, L3 and Packages have one set each; a CPU without a known domain is in none.
	Cores, L3, Packages []CPUs
	// NUMA has the CPUs of each NUMA node by its number.
	NUMA map[int]CPUs
	// XML is the topology as hwloc writes it; empty for the machine that this program runs on.
	XML string
}

// ReadMachine reads the topology below a root folder, which is / for this machine.
func ReadMachine(root string) (Machine, error) {
	folder := filepath.Join(root, "sys/devices/system")
	online, err := readList(filepath.Join(folder, "cpu/online"))
	if err != nil {
		return Machine{}, err
	}
	machine := Machine{Online: online, NUMA: map[int]CPUs{}}
	cores, l3, packages := map[string]CPUs{}, map[string]CPUs{}, map[string]CPUs{}
	for _, cpu := range online {
		at := filepath.Join(folder, "cpu", "cpu"+strconv.Itoa(cpu))
		core, err := readList(filepath.Join(at, "topology/thread_siblings_list"))
		if err != nil {
			core = CPUs{cpu}
		}
		cores[core.String()] = core
		if domain, err := readList(filepath.Join(at, "cache/index3/shared_cpu_list")); err == nil {
			l3[domain.String()] = domain
		}
		if domain, err := readList(filepath.Join(at, "topology/package_cpus_list")); err == nil {
			packages[domain.String()] = domain
		}
	}
	machine.Cores, machine.L3, machine.Packages = ascending(cores), ascending(l3), ascending(packages)
	nodes, err := filepath.Glob(filepath.Join(folder, "node/node[0-9]*"))
	if err != nil {
		return Machine{}, err
	}
	for _, node := range nodes {
		number, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(node), "node"))
		if err != nil {
			continue
		}
		if machine.NUMA[number], err = readList(filepath.Join(node, "cpulist")); err != nil {
			return Machine{}, err
		}
	}
	if len(machine.NUMA) == 0 {
		machine.NUMA[0] = online
	}
	return machine, nil
}

// MachineFromXML reads a topology as hwloc writes it.
func MachineFromXML(text string) (Machine, error) {
	machine := Machine{NUMA: map[int]CPUs{}, XML: text}
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Machine{}, fmt.Errorf("the topology is not XML: %w", err)
		}
		object, is := token.(xml.StartElement)
		if !is || object.Name.Local != "object" {
			continue
		}
		attributes := map[string]string{}
		for _, attribute := range object.Attr {
			attributes[attribute.Name.Local] = attribute.Value
		}
		cpus := parseMask(attributes["cpuset"])
		number, _ := strconv.Atoi(attributes["os_index"])
		switch attributes["type"] {
		case "PU":
			machine.Online = append(machine.Online, number)
		case "Core":
			machine.Cores = append(machine.Cores, cpus)
		case "L3Cache":
			machine.L3 = append(machine.L3, cpus)
		case "Package":
			machine.Packages = append(machine.Packages, cpus)
		case "NUMANode":
			machine.NUMA[number] = cpus
		}
	}
	slices.Sort(machine.Online)
	if len(machine.Online) == 0 {
		return Machine{}, errors.New("the topology has no CPU")
	}
	return machine, nil
}

// Fingerprint changes when CPUs come or go, or are arranged in another way.
func (m Machine) Fingerprint() string {
	hash := fnv.New64a()
	fmt.Fprint(hash, m.Online, m.Cores, m.L3, m.Packages, m.NUMA)
	return strconv.FormatUint(hash.Sum64(), 16)
}

// Siblings returns the other CPUs of the cores that these CPUs are on.
func (m Machine) Siblings(cpus CPUs) CPUs {
	return m.touched(m.Cores, cpus).Minus(cpus)
}

// MemoryNodes returns the numbers of all NUMA nodes.
func (m Machine) MemoryNodes() CPUs {
	nodes := CPUs{}
	for number := range m.NUMA {
		nodes = append(nodes, number)
	}
	slices.Sort(nodes)
	return nodes
}

// NUMAOf returns the NUMA nodes on which these CPUs are.
func (m Machine) NUMAOf(cpus CPUs) CPUs {
	return m.MemoryNodes().filter(func(node int) bool { return cpus.Overlaps(m.NUMA[node]) })
}

// L3Of returns which L3 domains these CPUs are in, numbered from 0 by their lowest CPU.
func (m Machine) L3Of(cpus CPUs) CPUs {
	domains := CPUs{}
	for at, domain := range m.L3 {
		if domain.Overlaps(cpus) {
			domains = append(domains, at)
		}
	}
	return domains
}

// ThreadsPerCore returns the largest number of CPUs on one core.
func (m Machine) ThreadsPerCore() int {
	threads := 1
	for _, core := range m.Cores {
		threads = max(threads, len(core))
	}
	return threads
}

func (m Machine) touched(domains []CPUs, cpus CPUs) CPUs {
	found := CPUs{}
	for _, domain := range domains {
		if domain.Overlaps(cpus) {
			found = append(found, domain...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func ascending(sets map[string]CPUs) []CPUs {
	all := make([]CPUs, 0, len(sets))
	for _, set := range sets {
		if len(set) > 0 {
			all = append(all, set)
		}
	}
	slices.SortFunc(all, func(a, b CPUs) int { return a[0] - b[0] })
	return all
}

func readList(path string) (CPUs, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := ParseCPUs(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// parseMask reads hwloc's mask: words of 32 bits, the highest first, as in 0x00000001,0x0000000f.
func parseMask(mask string) CPUs {
	cpus := CPUs{}
	words := strings.Split(mask, ",")
	for at, word := range words {
		bits, ok := new(big.Int).SetString(strings.TrimPrefix(strings.TrimSpace(word), "0x"), 16)
		if !ok {
			continue
		}
		lowest := (len(words) - 1 - at) * 32
		for bit := range bits.BitLen() {
			if bits.Bit(bit) == 1 {
				cpus = append(cpus, lowest+bit)
			}
		}
	}
	slices.Sort(cpus)
	return cpus
}
