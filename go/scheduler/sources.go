package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	restclient "k8s.io/client-go/rest"
	metricsclient "k8s.io/metrics/pkg/client/clientset/versioned"
)

const (
	// A longer response is a mistake in the query: 64 MiB has ten samples of each of about 150,000 pods.
	responseBytesMax = 64 << 20
	sourceTimeout    = 30 * time.Second
	// samplesKept bounds what is kept of a window that never ends, as after the policy changed.
	samplesKept = 1000
)

// limited fails a response that is too long, instead of cutting it.
type limited struct {
	from io.ReadCloser
	left int64
}

var errTooLong = fmt.Errorf("the response has more than %d bytes", responseBytesMax)

func (l *limited) Read(into []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.from.Read(into[:min(int64(len(into)), l.left)])
	l.left -= int64(n)
	return n, err
}

func (l *limited) Close() error { return l.from.Close() }

type prometheus struct {
	client *http.Client
	url    string
	query  string
}

func newPrometheus(args *PrometheusArgs) *prometheus {
	client := &http.Client{Timeout: sourceTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		// It could lead to what only the scheduler may reach.
		return http.ErrUseLastResponse
	}}
	return &prometheus{client: client, url: args.URL, query: args.Query}
}

func (p *prometheus) take(context.Context, time.Time) error { return nil }

func (p *prometheus) samples(ctx context.Context, from, to time.Time) ([]sample, error) {
	step := sampleEvery(to.Sub(from))
	at, err := url.Parse(p.url)
	if err != nil {
		return nil, err
	}
	at = at.JoinPath("api/v1/query_range")
	seconds := func(at time.Time) string { return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64) }
	at.RawQuery = url.Values{
		"query": {p.query}, "start": {seconds(from.Add(step))}, "end": {seconds(to)}, "step": {strconv.FormatFloat(step.Seconds(), 'f', 3, 64)},
		"timeout": {strconv.Itoa(int(sourceTimeout.Seconds())) + "s"},
	}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode/100 == 3 {
		return nil, fmt.Errorf("the answer of Prometheus (%s) leads elsewhere; set loads.prometheus.url to where it answers itself", response.Status)
	}
	var answer struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   struct {
			ResultType string `json:"resultType"`
			Result     []struct {
				Metric struct {
					Namespace string `json:"namespace"`
					Pod       string `json:"pod"`
				} `json:"metric"`
				Values [][2]any `json:"values"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := json.NewDecoder(&limited{response.Body, responseBytesMax}).Decode(&answer); err != nil {
		return nil, fmt.Errorf("the answer of Prometheus (%s) cannot be read: %w", response.Status, err)
	}
	if answer.Status != "success" {
		return nil, fmt.Errorf("the query was refused by Prometheus: %s", answer.Error)
	}
	if answer.Data.ResultType != "matrix" {
		return nil, fmt.Errorf("the query gives a '%s'; expected one value of CPUs for each namespace and pod", answer.Data.ResultType)
	}
	count := int(to.Sub(from) / step)
	samples := make([]sample, count)
	for i := range samples {
		samples[i] = sample{}
	}
	for _, series := range answer.Data.Result {
		if series.Metric.Namespace == "" || series.Metric.Pod == "" {
			continue
		}
		name := jobName(series.Metric.Namespace, series.Metric.Pod)
		for _, value := range series.Values {
			seconds, isNumber := value[0].(float64)
			text, isText := value[1].(string)
			cpus, err := strconv.ParseFloat(text, 64)
			if !isNumber || !isText || err != nil {
				return nil, errors.New("the answer of Prometheus has a value that is no number")
			}
			i := int(time.UnixMilli(int64(seconds*1000)).Sub(from)/step) - 1
			if i >= 0 && i < count {
				// Several series of one pod, as of a query that keeps more labels, add up.
				samples[i][name] += cpus * 1000
			}
		}
	}
	return samples, nil
}

// metricsAPI keeps samples, since the API has only the last one.
type metricsAPI struct {
	client metricsclient.Interface
	mutex  sync.Mutex
	kept   []timedSample
}

type timedSample struct {
	at     time.Time
	sample sample
}

// newMetricsAPI makes a client of its own: the API speaks JSON, and its answers need a limit.
func newMetricsAPI(config *restclient.Config) (*metricsAPI, error) {
	config = restclient.CopyConfig(config)
	config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	config.Timeout = sourceTimeout
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return limitedTransport{next} })
	client, err := metricsclient.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &metricsAPI{client: client}, nil
}

type limitedTransport struct{ next http.RoundTripper }

func (t limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err == nil {
		response.Body = &limited{response.Body, responseBytesMax}
	}
	return response, err
}

func (m *metricsAPI) take(ctx context.Context, now time.Time) error {
	list, err := m.client.MetricsV1beta1().PodMetricses(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	taken := sample{}
	for i := range list.Items {
		pod, milli := &list.Items[i], int64(0)
		for j := range pod.Containers {
			milli += pod.Containers[j].Usage.Cpu().MilliValue()
		}
		taken[jobName(pod.Namespace, pod.Name)] = float64(milli)
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.kept) >= samplesKept {
		m.kept = m.kept[1:]
	}
	m.kept = append(m.kept, timedSample{now, taken})
	return nil
}

func (m *metricsAPI) samples(_ context.Context, from, to time.Time) ([]sample, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var within []sample
	var later []timedSample
	for _, kept := range m.kept {
		switch {
		case kept.at.After(to):
			later = append(later, kept)
		case kept.at.After(from):
			within = append(within, kept.sample)
		}
	}
	m.kept = later
	if len(within) == 0 {
		return nil, errors.New("the metrics API gave nothing in this window")
	}
	return within, nil
}
