package node

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"
	fieldManager  = "tauto-node"
	// eventsMax bounds events that wait for the API server; a handler never waits.
	eventsMax = 64
	// eventsAgain is how long the same event of a pod is not repeated: the kubelet tries a refused container every few seconds.
	eventsAgain = 5 * time.Minute
	apiTimeout  = 10 * time.Second
	// answerMax bounds what is read of an answer.
	answerMax = 64 << 20
	// reportMax is below the size that a ConfigMap may have.
	reportMax = 900 << 10
	podsLimit = 500
	// problemsMax is how many of the node's problems a report has that is too large.
	problemsMax = 8
	// ReportNamespace has only the nodes' reports, so that the right to write them is no right to anything else.
	ReportNamespace = "tautochrone-nodes"
	// Annotations of the node.
	annotationNUMANodes = annotationPrefix + "numa-nodes"
	annotationThreads   = annotationPrefix + "threads"
)

// An API is a small client of the Kubernetes API server: four calls do not need more.
type API struct {
	base, node, namespace string
	token                 func() (string, error)
	client                *http.Client
	events                chan event
	log                   *slog.Logger
}

type event struct {
	// pod is empty for an event of the node.
	pod             Pod
	reason, message string
	at              time.Time
}

// InCluster makes a client with the account of this process's own pod. It returns nil outside of a cluster.
func InCluster(node, namespace string, log *slog.Logger) (*API, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || node == "" {
		return nil, nil
	}
	authority, err := os.ReadFile(filepath.Join(accountFolder, "ca.crt"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s/ca.crt has no certificate", accountFolder)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	// The kubelet replaces the token from time to time.
	token := func() (string, error) {
		text, err := os.ReadFile(filepath.Join(accountFolder, "token"))
		return strings.TrimSpace(string(text)), err
	}
	return newAPI("https://"+host+":"+port, node, namespace, token, &http.Client{Transport: transport, Timeout: apiTimeout}, log), nil
}

func newAPI(base, node, namespace string, token func() (string, error), client *http.Client, log *slog.Logger) *API {
	return &API{base: base, node: node, namespace: namespace, token: token, client: client, events: make(chan event, eventsMax), log: log}
}

func (a *API) do(ctx context.Context, method, path, contentType string, body, answer any) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, reader)
	if err != nil {
		return err
	}
	token, err := a.token()
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Accept", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerMax))
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		var status struct {
			Message string `json:"message"`
		}
		// Without a message the code has to do.
		_ = json.Unmarshal(text, &status)
		return fmt.Errorf("%s %s: %s %s", method, path, response.Status, status.Message)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// WarnNode queues an event of the node. It never blocks.
func (a *API) WarnNode(reason, message string) { a.Warn(Pod{}, reason, message) }

// Warn queues an event of a pod. It never blocks.
func (a *API) Warn(pod Pod, reason, message string) {
	select {
	case a.events <- event{pod: pod, reason: reason, message: message, at: time.Now()}:
	default:
		a.log.Warn("too many events wait for the API server; one is left out", "namespace", pod.Namespace, "pod", pod.Name, "reason", reason)
	}
}

// SendEvents sends queued events until the context ends.
func (a *API) SendEvents(ctx context.Context) {
	sent := map[string]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-a.events:
			for key, at := range sent {
				if time.Since(at) > eventsAgain {
					delete(sent, key)
				}
			}
			key := next.pod.UID + next.reason + next.message
			if _, is := sent[key]; is {
				continue
			}
			if err := a.send(ctx, next); err != nil {
				a.log.Warn("an event was not accepted", "why", err)
				continue
			}
			sent[key] = time.Now()
		}
	}
}

func (a *API) send(ctx context.Context, next event) error {
	at := next.at.UTC().Format(time.RFC3339)
	involved := map[string]any{"apiVersion": "v1", "kind": "Pod", "namespace": next.pod.Namespace, "name": next.pod.Name, "uid": next.pod.UID}
	name, namespace := next.pod.Name, next.pod.Namespace
	if next.pod == (Pod{}) {
		// As the kubelet does for its node.
		name, namespace = a.node, "default"
		involved = map[string]any{"apiVersion": "v1", "kind": "Node", "name": a.node, "uid": a.node}
	}
	body := map[string]any{
		"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": next.reason, "message": cut(next.message), "count": 1,
		"metadata":       map[string]any{"generateName": name + ".", "namespace": namespace},
		"involvedObject": involved,
		"source":         map[string]any{"component": fieldManager, "host": a.node},
		"firstTimestamp": at, "lastTimestamp": at,
	}
	return a.do(ctx, http.MethodPost, "/api/v1/namespaces/"+url.PathEscape(namespace)+"/events", "application/json", body, nil)
}

// messageMax is the API server's limit for an event's message.
const messageMax = 1000

func cut(text string) string {
	if len(text) <= messageMax {
		return text
	}
	return strings.ToValidUTF8(text[:messageMax], "") + " ..."
}

// Pods lists the pods of this node by their UID.
func (a *API) Pods(ctx context.Context) (map[string]KnownPod, error) {
	pods := map[string]KnownPod{}
	query := url.Values{"fieldSelector": {"spec.nodeName=" + a.node}, "limit": {strconv.Itoa(podsLimit)},
		// From the API server's memory: all nodes ask again and again.
		"resourceVersion": {"0"}}
	for {
		var list struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []listedPod `json:"items"`
		}
		if err := a.do(ctx, http.MethodGet, "/api/v1/pods?"+query.Encode(), "application/json", nil, &list); err != nil {
			return nil, err
		}
		for _, pod := range list.Items {
			pods[pod.Metadata.UID] = pod.known()
		}
		if list.Metadata.Continue == "" {
			return pods, nil
		}
		query.Set("continue", list.Metadata.Continue)
		// The rest of a list has the version of its beginning.
		query.Del("resourceVersion")
	}
}

type listedPod struct {
	Metadata struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		UID       string `json:"uid"`
	} `json:"metadata"`
	Spec struct {
		ResourceClaims []json.RawMessage `json:"resourceClaims"`
		Containers     []struct {
			Name      string `json:"name"`
			Resources struct {
				Claims []json.RawMessage `json:"claims"`
			} `json:"resources"`
		} `json:"containers"`
	} `json:"spec"`
	Status struct {
		ContainerStatuses     []listedStatus `json:"containerStatuses"`
		InitContainerStatuses []listedStatus `json:"initContainerStatuses"`
	} `json:"status"`
}

type listedStatus struct {
	Name        string `json:"name"`
	ContainerID string `json:"containerID"`
}

func (l listedPod) known() KnownPod {
	pod := KnownPod{Pod: Pod{Namespace: l.Metadata.Namespace, Name: l.Metadata.Name, UID: l.Metadata.UID},
		HasClaims: len(l.Spec.ResourceClaims) > 0, Containers: map[string]string{}}
	for _, status := range append(l.Status.ContainerStatuses, l.Status.InitContainerStatuses...) {
		// As in containerd://0123...
		_, id, _ := strings.Cut(status.ContainerID, "://")
		pod.Containers[id] = status.Name
	}
	return pod
}

// Publish writes the report to a ConfigMap, and what a scheduler needs to know to the node's annotations.
func (a *API) Publish(ctx context.Context, report Report, machine Machine) error {
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if len(text) > reportMax {
		report.Problems = append(slices.Clone(report.Problems[:min(len(report.Problems), problemsMax)]), fmt.Sprintf("the report has %d bytes, too many for a ConfigMap: see tauto-node report on the node", len(text)))
		report.Containers = []ReportContainer{}
		if text, err = json.Marshal(report); err != nil {
			return err
		}
	}
	name := "tauto-node-" + a.node
	object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": a.namespace},
		"data": map[string]string{"report.json": string(text)}}
	path := "/api/v1/namespaces/" + url.PathEscape(a.namespace) + "/configmaps/" + url.PathEscape(name)
	annotations := map[string]string{annotationNUMANodes: strconv.Itoa(len(machine.NUMA)), annotationThreads: strconv.Itoa(machine.ThreadsPerCore())}
	node := map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": a.node, "annotations": annotations}}
	return errors.Join(a.apply(ctx, path, object), a.apply(ctx, "/api/v1/nodes/"+url.PathEscape(a.node), node))
}

func (a *API) apply(ctx context.Context, path string, object any) error {
	return a.do(ctx, http.MethodPatch, path+"?fieldManager="+fieldManager+"&force=true", "application/apply-patch+yaml", object, nil)
}
