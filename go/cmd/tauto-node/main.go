// Tauto-node gives containers whole cores of a Kubernetes node, and reports which CPUs each container really has.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/containerd/nri/pkg/api"

	"tautochrone.dev/fleet/node"
)

const usage = `tauto-node gives containers whole cores of this node, and reports which CPUs each container really has.

  tauto-node run --reserved LIST [options]   serve as a plugin of the container runtime (NRI)
  tauto-node report [--json] [options]       print what each container has; exit code 1 if something is not where it should be

tauto-node run --help and tauto-node report --help list the options.
`

// Exit codes.
const (
	exitNotRight = 1
	exitError    = 2
)

func main() { os.Exit(start(os.Args[1:])) }

func start(arguments []string) int {
	command := ""
	if len(arguments) > 0 {
		command = arguments[0]
	}
	var err error
	switch command {
	case "run":
		err = run(arguments[1:])
	case "report":
		var isRight bool
		if isRight, err = report(arguments[1:], os.Stdout); err == nil && !isRight {
			return exitNotRight
		}
	case "help", "--help", "-h":
		fmt.Print(usage)
		return 0
	default:
		fmt.Fprint(os.Stderr, usage)
		return exitError
	}
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tauto-node:", err)
		return exitError
	}
	return 0
}

// places are the options of both commands.
type places struct {
	root, kubeletRoot, table, node, topology string
}

func (p *places) add(flags *flag.FlagSet) {
	flags.StringVar(&p.root, "root", "/", "folder that has /proc and /sys")
	flags.StringVar(&p.kubeletRoot, "kubelet-root", "/var/lib/kubelet", "the kubelet's folder, for cpu_manager_state")
	flags.StringVar(&p.table, "table", "/run/tauto-node/containers.json", "file in which the plugin leaves what it knows, for 'report'")
	flags.StringVar(&p.node, "node-name", os.Getenv("NODE_NAME"), "this node's name; with it, and inside a cluster, events and a ConfigMap are written")
	flags.StringVar(&p.topology, "topology", "", "hwloc XML to use instead of this machine's topology")
}

func (p *places) machine() (node.Machine, error) {
	if p.topology == "" {
		return node.ReadMachine(p.root)
	}
	text, err := os.ReadFile(p.topology)
	if err != nil {
		return node.Machine{}, err
	}
	return node.MachineFromXML(string(text))
}

func run(arguments []string) error {
	var places places
	flags := flag.NewFlagSet("tauto-node run", flag.ContinueOnError)
	places.add(flags)
	reserved := flags.String("reserved", "", "CPUs that are never leased, as in 0-1; at least one (required)")
	socket := flags.String("socket", api.DefaultSocketPath, "the runtime's NRI socket")
	name := flags.String("name", "tautochrone", "the plugin's name")
	index := flags.String("index", "90", "the plugin's place among others, two digits")
	moves := flags.Uint("moves", 4, "how many containers with may-move change their cores to make room for a new one")
	compactEvery := flags.Duration("compact-every", 0, "how often containers with may-move are moved to be compact; 0 is never")
	compactMoves := flags.Uint("compact-moves", 2, "how many are moved each time")
	realTime := flags.Bool("real-time", false, "allow the annotation fleet.tautochrone.dev/real-time")
	partition := flags.String("partition", "", "'isolated': make control groups of containers with whole cores partitions (version 2)")
	reportNamespace := flags.String("report-namespace", node.ReportNamespace, "namespace of the ConfigMaps with the nodes' reports")
	static := flags.Bool("go-on-with-static", false, "start although the kubelet's CPU manager is not 'none'")
	every := flags.Duration("report-every", 10*time.Second, "how often the node is measured; 0 is never")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument '%s'", flags.Arg(0))
	}
	kept, err := node.ParseCPUs(*reserved)
	if err != nil {
		return fmt.Errorf("--reserved: %w", err)
	}
	if *partition != "" && *partition != "isolated" {
		return fmt.Errorf("--partition is '%s'; expected 'isolated'", *partition)
	}
	if *partition != "" && *every <= 0 {
		return errors.New("--partition needs --report-every, which sets partitions when it measures")
	}
	if len(*index) != 2 {
		return fmt.Errorf("--index is '%s'; expected two digits such as 90", *index)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	lock, err := node.LockTable(places.table)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := checkKubelet(places.kubeletRoot, *static, log); err != nil {
		return err
	}
	server, err := node.InCluster(places.node, *reportNamespace, log)
	if err != nil {
		return err
	}
	warn := func(node.Pod, string, string) {}
	if server != nil {
		warn = server.Warn
	}
	settings := node.Settings{Reserved: kept, MovesMax: uint32(*moves), RealTime: *realTime, Root: places.root, KubeletRoot: places.kubeletRoot}
	plugin, err := node.NewPlugin(settings, node.Sources{OpenDesk: node.OpenDesk, Machine: places.machine, Warn: warn, Log: log})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var group sync.WaitGroup
	if server != nil {
		group.Go(func() { server.SendEvents(ctx) })
	}
	if *every > 0 {
		agent := &node.Agent{Node: places.node, Root: places.root, KubeletRoot: places.kubeletRoot, Plugin: plugin, API: server,
			TableFile: places.table, Every: *every, Partition: *partition != "", Log: log}
		group.Go(func() { agent.Run(ctx) })
	}
	connection := &node.Connection{Plugin: plugin, Socket: *socket, Name: *name, Index: *index, Log: log,
		CompactEvery: *compactEvery, CompactMoves: uint32(*compactMoves)}
	if server != nil {
		connection.WarnNode = server.WarnNode
	}
	connection.Run(ctx)
	group.Wait()
	return nil
}

func checkKubelet(root string, goOn bool, log *slog.Logger) error {
	state, err := node.ReadKubeletState(root)
	if err != nil {
		return err
	}
	problem := state.Problem()
	if problem == "" {
		return nil
	}
	if !goOn {
		return fmt.Errorf("%s (or start with --go-on-with-static: the kubelet's cores are then left alone)", problem)
	}
	log.Error(problem)
	return nil
}

func report(arguments []string, to io.Writer) (bool, error) {
	var places places
	flags := flag.NewFlagSet("tauto-node report", flag.ContinueOnError)
	places.add(flags)
	asJSON := flags.Bool("json", false, "print JSON")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	table, err := node.ReadTableFile(places.table)
	if err != nil {
		return false, err
	}
	machine, err := places.machine()
	if err != nil {
		return false, err
	}
	input := node.ReportInput{Node: places.node, Root: places.root, KubeletRoot: places.kubeletRoot, AtMs: time.Now().UnixMilli(),
		Machine: machine, Table: table}
	if table != nil {
		if input.Better, err = node.BetterFrom(*table, machine, node.OpenDesk); err != nil {
			fmt.Fprintln(os.Stderr, "tauto-node: whether other cores are better is unknown:", err)
		}
	}
	server, err := node.InCluster(places.node, node.ReportNamespace, slog.Default())
	if err != nil {
		return false, err
	}
	if server != nil {
		if input.Pods, err = server.Pods(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "tauto-node: the pods of this node are unknown:", err)
		}
	}
	made, err := node.MakeReport(input)
	if err != nil {
		return false, err
	}
	if !*asJSON {
		return made.AllRight(), made.WriteTable(to)
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return made.AllRight(), encoder.Encode(made)
}
