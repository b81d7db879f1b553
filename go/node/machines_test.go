package node

import (
	"fmt"
	"strings"
)

// A madeUp machine is regular; CPUs are numbered as on most servers: all first threads, then all second ones.
type madeUp struct {
	packages, nodesPerPackage, l3PerNode, coresPerL3, threads int
	// from is the number of the first CPU.
	from int
	// offline CPUs are left out.
	offline CPUs
}

// large has 2 packages, 16 NUMA nodes and 1,024 CPUs.
var large = madeUp{packages: 2, nodesPerPackage: 8, l3PerNode: 2, coresPerL3: 16, threads: 2}

// hwloc writes the machine as hwloc does.
func (m madeUp) hwloc() string {
	nodes := m.packages * m.nodesPerPackage
	l3 := nodes * m.l3PerNode
	cores := l3 * m.coresPerL3
	cpus := func(first, count int) CPUs {
		set := CPUs{}
		for thread := range m.threads {
			for core := first; core < first+count; core++ {
				set = append(set, m.from+thread*cores+core)
			}
		}
		return set.Minus(m.offline)
	}
	var text strings.Builder
	line := func(kind string, number int, set CPUs, node int, end string) {
		fmt.Fprintf(&text, "<object type=\"%s\" os_index=\"%d\" cpuset=\"%s\" nodeset=\"%s\" local_memory=\"%d\"%s\n", kind, number,
			mask(set), mask(CPUs{node}), 64<<30, end)
	}
	everything := cpus(0, cores)
	nodeset := CPUs{}
	for node := range nodes {
		nodeset = append(nodeset, node)
	}
	fmt.Fprintf(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"2.0\">\n"+
		"<object type=\"Machine\" os_index=\"0\" cpuset=\"%[1]s\" complete_cpuset=\"%[1]s\" allowed_cpuset=\"%[1]s\" "+
		"nodeset=\"%[2]s\" complete_nodeset=\"%[2]s\" allowed_nodeset=\"%[2]s\">\n", mask(everything), mask(nodeset))
	perPackage, perNode := cores/m.packages, cores/nodes
	for at := range m.packages {
		line("Package", at, cpus(at*perPackage, perPackage), 0, ">")
		for inPackage := range m.nodesPerPackage {
			node := at*m.nodesPerPackage + inPackage
			line("Group", node, cpus(node*perNode, perNode), node, ">")
			line("NUMANode", node, cpus(node*perNode, perNode), node, "/>")
			for inNode := range m.l3PerNode {
				domain := node*m.l3PerNode + inNode
				set := cpus(domain*m.coresPerL3, m.coresPerL3)
				line("L3Cache", domain, set, node, " depth=\"3\" cache_size=\"33554432\">")
				for inL3 := range m.coresPerL3 {
					core := domain*m.coresPerL3 + inL3
					threads := cpus(core, 1)
					if len(threads) == 0 {
						continue
					}
					line("Core", core, threads, node, ">")
					for _, cpu := range threads {
						line("PU", cpu, CPUs{cpu}, node, "/>")
					}
					text.WriteString("</object>\n")
				}
				text.WriteString("</object>\n")
			}
			text.WriteString("</object>\n")
		}
		text.WriteString("</object>\n")
	}
	text.WriteString("</object>\n</topology>\n")
	return text.String()
}

// mask writes hwloc's mask.
func mask(cpus CPUs) string {
	if len(cpus) == 0 {
		return "0x0"
	}
	words := make([]uint32, cpus[len(cpus)-1]/32+1)
	for _, cpu := range cpus {
		words[len(words)-1-cpu/32] |= 1 << (cpu % 32)
	}
	parts := make([]string, len(words))
	for at, word := range words {
		parts[at] = fmt.Sprintf("0x%08x", word)
	}
	return strings.Join(parts, ",")
}
