package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
)

const (
	backoffMin = time.Second
	backoffMax = 30 * time.Second
	// startWait bounds registration; a runtime that never answers would otherwise hold the plugin for ever.
	startWait = 30 * time.Second
	// synchronizeWait is how long a registered plugin waits for its first call (containerd#8523).
	synchronizeWait = time.Minute
	watchEvery      = 2 * time.Second
	onlineEvery     = 10 * time.Second
	// updateWait bounds how long the runtime may take for a list of updates.
	updateWait = time.Minute
	// failuresMax is after how many attempts without a list of containers it is said loudly.
	failuresMax = 3
)

var (
	errConnectionClosed = errors.New("the runtime closed the connection")
	errOtherSocket      = errors.New("the socket is a new one: the runtime was restarted")
	errNeverCalled      = errors.New("the runtime accepted the plugin and never called it")
	errMachineChanged   = errors.New("CPUs came or went; the leases are rebuilt")
)

// A Connection keeps a plugin registered with the runtime.
type Connection struct {
	Plugin *Plugin
	Socket string
	Name   string
	Index  string
	Log    *slog.Logger
	// CompactEvery is 0 for never.
	CompactEvery time.Duration
	CompactMoves uint32
	// WarnNode reports on the node; it may be nil, and must not block.
	WarnNode func(reason, message string)

	failures       int
	isSynchronized bool
}

// Run registers again, for ever, until the context ends.
func (c *Connection) Run(ctx context.Context) {
	backoff := backoffMin
	for ctx.Err() == nil {
		started := time.Now()
		c.isSynchronized = false
		err := c.once(ctx)
		if ctx.Err() != nil {
			return
		}
		c.count(err)
		if time.Since(started) > backoffMax {
			backoff = backoffMin
		}
		c.Log.Warn("not connected to the runtime; trying again", "why", err, "after", backoff.String())
		select {
		case <-ctx.Done():
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, backoffMax)
	}
}

// count says loudly when the runtime cannot list its containers, as when one of them has too much environment: nothing else would
// tell that containers run without their cores.
func (c *Connection) count(err error) {
	if c.isSynchronized {
		c.failures = 0
		return
	}
	// While the runtime itself is away no container starts.
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) {
		return
	}
	c.failures++
	if c.failures < failuresMax {
		return
	}
	text := fmt.Sprintf("the runtime has not listed its containers in %d attempts or more, so that new containers get no cores of their own: %v; "+
		"look for containers with much environment or many annotations, and for 'nri' in the runtime's log", failuresMax, err)
	c.Log.Error(text)
	c.Plugin.setProblem(text)
	if c.failures == failuresMax && c.WarnNode != nil {
		c.WarnNode("NotSynchronized", text)
	}
}

// once registers and serves until something ends the connection.
func (c *Connection) once(ctx context.Context) error {
	identity, err := socketIdentity(c.Socket)
	if err != nil {
		return err
	}
	closed := make(chan struct{})
	var mutex sync.Mutex
	var dialed net.Conn
	plugin, err := stub.New(c.Plugin,
		stub.WithPluginName(c.Name), stub.WithPluginIdx(c.Index), stub.WithSocketPath(c.Socket),
		stub.WithLogger(stubLog{c.Log}),
		stub.WithOnClose(sync.OnceFunc(func() { close(closed) })),
		// A container must not start without its cores because this process was slow.
		stub.WithFailurePolicy(&api.FailurePolicy{FailRequest: true}),
		stub.WithDialer(func(path string) (net.Conn, error) {
			connection, err := net.Dial("unix", path)
			mutex.Lock()
			defer mutex.Unlock()
			dialed = connection
			return connection, err
		}),
	)
	if err != nil {
		return err
	}
	select {
	case <-c.Plugin.synchronized:
	default:
	}
	started := make(chan error, 1)
	go func() { started <- plugin.Start(ctx) }()
	select {
	case err := <-started:
		if err != nil {
			return err
		}
	case <-time.After(startWait):
		mutex.Lock()
		defer mutex.Unlock()
		if dialed != nil {
			dialed.Close()
		}
		return fmt.Errorf("the runtime did not configure the plugin within %s", startWait)
	}
	defer plugin.Stop()
	c.Plugin.SetRuntimeNRI(plugin.RuntimeNRIVersion())
	return c.serve(ctx, plugin, identity, closed)
}

func (c *Connection) serve(ctx context.Context, plugin stub.Stub, identity string, closed <-chan struct{}) error {
	watch, online := time.NewTicker(watchEvery), time.NewTicker(onlineEvery)
	defer watch.Stop()
	defer online.Stop()
	var compact <-chan time.Time
	if c.CompactEvery > 0 {
		ticker := time.NewTicker(c.CompactEvery)
		defer ticker.Stop()
		compact = ticker.C
	}
	neverCalled := time.After(synchronizeWait)
	update := func(updates []*api.ContainerUpdate) ([]*api.ContainerUpdate, error) {
		return c.update(ctx, plugin, updates, closed)
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-closed:
			select {
			case <-c.Plugin.synchronized:
				c.isSynchronized = true
			default:
			}
			return errConnectionClosed
		case <-c.Plugin.synchronized:
			neverCalled = nil
			c.isSynchronized, c.failures = true, 0
		case <-neverCalled:
			return errNeverCalled
		case <-watch.C:
			if now, err := socketIdentity(c.Socket); err != nil || now != identity {
				return errors.Join(errOtherSocket, err)
			}
		case <-online.C:
			if c.Plugin.onlineChanged() {
				return errMachineChanged
			}
		case <-c.Plugin.wake:
			if err := c.Plugin.settle(update); err != nil {
				// The runtime lists its containers after the next registration, which repairs whatever is wrong.
				return err
			}
		case <-compact:
			if err := c.Plugin.Compact(c.CompactMoves, update); err != nil {
				return err
			}
		}
	}
}

// update waits for the runtime, but not for ever.
func (c *Connection) update(ctx context.Context, plugin stub.Stub, updates []*api.ContainerUpdate, closed <-chan struct{}) ([]*api.ContainerUpdate, error) {
	type answer struct {
		failed []*api.ContainerUpdate
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		failed, err := plugin.UpdateContainers(updates)
		answered <- answer{failed, err}
	}()
	select {
	case found := <-answered:
		return found.failed, found.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-closed:
		return nil, errConnectionClosed
	case <-time.After(updateWait):
		return nil, fmt.Errorf("the runtime did not answer within %s", updateWait)
	}
}

func (p *Plugin) setProblem(text string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.answers++
	p.problem = text
}

// onlineChanged reports whether other CPUs are online than when the leases were built.
func (p *Plugin) onlineChanged() bool {
	p.mutex.Lock()
	before, madeUp := p.machine.Online, p.machine.XML != ""
	p.mutex.Unlock()
	if madeUp {
		return false
	}
	online, err := readList(filepath.Join(p.settings.Root, "sys/devices/system/cpu/online"))
	return err == nil && !online.Equal(before)
}

// socketIdentity changes when the runtime makes its socket anew.
func socketIdentity(path string) (string, error) {
	var status syscall.Stat_t
	if err := syscall.Stat(path, &status); err != nil {
		return "", fmt.Errorf("%s: %w; expected the runtime's NRI socket: enable NRI in the runtime's settings, or name it with --socket", path, err)
	}
	return fmt.Sprint(status.Dev, status.Ino, status.Ctim), nil
}

// stubLog writes what the stub logs to the program's log.
type stubLog struct{ log *slog.Logger }

func (s stubLog) Debugf(_ context.Context, format string, values ...any) {
	s.log.Debug(fmt.Sprintf(format, values...))
}
func (s stubLog) Infof(_ context.Context, format string, values ...any) {
	s.log.Info(fmt.Sprintf(format, values...))
}
func (s stubLog) Warnf(_ context.Context, format string, values ...any) {
	s.log.Warn(fmt.Sprintf(format, values...))
}
func (s stubLog) Errorf(_ context.Context, format string, values ...any) {
	s.log.Error(fmt.Sprintf(format, values...))
}
