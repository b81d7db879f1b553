package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout = 5 * time.Second
	// A trace of a large fleet has tens of megabytes.
	answerTimeout = time.Minute
)

// serve answers requests about the decisions. Nothing can be changed by them.
func (p *Plugin) serve(ctx context.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("the args of %s: listen.address: %w", Name, err)
	}
	server := &http.Server{Handler: p.routes(), ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout, WriteTimeout: answerTimeout,
		MaxHeaderBytes: 16 << 10}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(listener); err != nil && ctx.Err() == nil {
			p.logger.Error(err, "requests are no longer answered", "address", address)
		}
	}()
	return nil
}

func (p *Plugin) routes() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /trace", func(to http.ResponseWriter, _ *http.Request) {
		trace, err := p.fleet.trace(p.args.Cluster)
		if err != nil {
			http.Error(to, err.Error(), http.StatusServiceUnavailable)
			return
		}
		to.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = to.Write([]byte(trace))
	})
	routes.HandleFunc("GET /state", func(to http.ResponseWriter, _ *http.Request) {
		state, err := p.fleet.state()
		if err != nil {
			http.Error(to, err.Error(), http.StatusServiceUnavailable)
			return
		}
		answerJSON(to, state)
	})
	routes.HandleFunc("GET /decisions", func(to http.ResponseWriter, request *http.Request) {
		name := request.URL.Query().Get("pod")
		if name == "" {
			http.Error(to, "which pod? ask for /decisions?pod=namespace/name", http.StatusBadRequest)
			return
		}
		kept := p.refusals.get(name)
		if kept == nil {
			http.Error(to, "this pod was not refused lately; of one with a node, see the annotation "+decisionAnnotation, http.StatusNotFound)
			return
		}
		answerJSON(to, kept)
	})
	return routes
}

func answerJSON(to http.ResponseWriter, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(to, err.Error(), http.StatusInternalServerError)
		return
	}
	to.Header().Set("Content-Type", "application/json")
	_, _ = to.Write(append(text, '\n'))
}
