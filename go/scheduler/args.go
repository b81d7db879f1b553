package scheduler

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/json"
)

// Args are the plugin's arguments in the scheduler's configuration. An unknown field or a bad value is an error, so that a
// typing mistake never means "the default".
type Args struct {
	// Cluster is the name of this cluster in records and policies; "main" by default.
	Cluster string `json:"cluster,omitempty"`
	// Policy is where the policy is read; without it the built-in policy "spread" decides.
	Policy *PolicyArgs `json:"policy,omitempty"`
	// Loads is where loads are observed, for policies that predict them.
	Loads *LoadsArgs `json:"loads,omitempty"`
	// Rescheduling lets the plugin move pods by evicting them.
	Rescheduling *ReschedulingArgs `json:"rescheduling,omitempty"`
	// Annotate is how much of a decision is written to its pod: "none", "brief" (default) or "full". The full one tells whoever
	// may read the pod the names and values of other nodes.
	Annotate string `json:"annotate,omitempty"`
	// Listen serves the trace, the last refusals and the state over HTTP.
	Listen *ListenArgs `json:"listen,omitempty"`
}

// PolicyArgs name a key of a ConfigMap.
type PolicyArgs struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Key is "policy.yaml" by default.
	Key string `json:"key,omitempty"`
	// BuiltIn is the policy while there is no ConfigMap; "spread" by default.
	BuiltIn string `json:"builtIn,omitempty"`
}

// LoadsArgs has exactly one source.
type LoadsArgs struct {
	Prometheus *PrometheusArgs `json:"prometheus,omitempty"`
	// MetricsAPI reads metrics.k8s.io, as `kubectl top` does.
	MetricsAPI bool `json:"metricsAPI,omitempty"`
}

type PrometheusArgs struct {
	URL string `json:"url"`
	// Query returns CPUs used, by namespace and pod.
	Query string `json:"query,omitempty"`
}

type ReschedulingArgs struct {
	Enabled bool `json:"enabled,omitempty"`
	// LeaseNamespace and LeaseName name the lease that lets one scheduler move pods; "kube-system" and
	// "tautochrone-rescheduler" by default.
	LeaseNamespace string `json:"leaseNamespace,omitempty"`
	LeaseName      string `json:"leaseName,omitempty"`
	// EvictionsMax is how many pods are evicted in a round at most; 5 by default.
	EvictionsMax int `json:"evictionsMax,omitempty"`
}

type ListenArgs struct {
	// Address is an IP address and port, as 127.0.0.1:10270.
	Address string `json:"address"`
	// BeyondLoopback allows addresses that other machines reach. What is served is not protected.
	BeyondLoopback bool `json:"beyondLoopback,omitempty"`
}

const (
	annotateNone  = "none"
	annotateBrief = "brief"
	annotateFull  = "full"

	evictionsMaxDefault = 5
	// More evictions at once would be an outage rather than rescheduling.
	evictionsMaxLimit = 1000
	// defaultQuery leaves out the cgroups of whole pods, which would count each container twice.
	defaultQuery = `sum by (namespace, pod) (rate(container_cpu_usage_seconds_total{container!=""}[1m]))`
)

// readArgs reads the arguments as the scheduler passes them on.
func readArgs(object runtime.Object) (*Args, error) {
	args := &Args{}
	if object != nil {
		unknown, is := object.(*runtime.Unknown)
		if !is {
			return nil, fmt.Errorf("the args of %s are a %T; expected those of a plugin outside of Kubernetes", Name, object)
		}
		if len(unknown.Raw) > 0 {
			strict, err := json.UnmarshalStrict(unknown.Raw, args)
			if err == nil && len(strict) > 0 {
				err = errors.Join(strict...)
			}
			if err != nil {
				return nil, fmt.Errorf("the args of %s: %s", Name, inOneLine(err))
			}
		}
	}
	args.setDefaults()
	if err := args.check(); err != nil {
		return nil, fmt.Errorf("the args of %s: %s", Name, inOneLine(err))
	}
	return args, nil
}

func inOneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

func (a *Args) setDefaults() {
	orElse(&a.Cluster, "main")
	orElse(&a.Annotate, annotateBrief)
	if a.Policy != nil {
		orElse(&a.Policy.Key, "policy.yaml")
		orElse(&a.Policy.BuiltIn, "spread")
	}
	if a.Loads != nil && a.Loads.Prometheus != nil {
		orElse(&a.Loads.Prometheus.Query, defaultQuery)
	}
	if a.Rescheduling != nil {
		orElse(&a.Rescheduling.LeaseNamespace, "kube-system")
		orElse(&a.Rescheduling.LeaseName, "tautochrone-rescheduler")
		if a.Rescheduling.EvictionsMax == 0 {
			a.Rescheduling.EvictionsMax = evictionsMaxDefault
		}
	}
}

func orElse(text *string, otherwise string) {
	if *text == "" {
		*text = otherwise
	}
}

func (a *Args) check() error {
	if policy := a.Policy; policy != nil {
		if wrong := validation.IsDNS1123Label(policy.Namespace); wrong != nil {
			return fmt.Errorf("policy.namespace: '%s' is no namespace; expected the ConfigMap's", policy.Namespace)
		}
		if wrong := validation.IsDNS1123Subdomain(policy.Name); wrong != nil {
			return fmt.Errorf("policy.name: '%s' is no name; expected the ConfigMap's", policy.Name)
		}
		if wrong := validation.IsConfigMapKey(policy.Key); wrong != nil {
			return fmt.Errorf("policy.key: '%s' is no key of a ConfigMap", policy.Key)
		}
		// The text of a policy is made of it.
		if strings.ContainsFunc(policy.BuiltIn, func(c rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-", c) }) {
			return fmt.Errorf("policy.builtIn: '%s' is no built-in policy; `tauto policy list` shows them", policy.BuiltIn)
		}
	}
	if loads := a.Loads; loads != nil {
		if (loads.Prometheus != nil) == loads.MetricsAPI {
			return errors.New("loads: expected one of 'prometheus' and 'metricsAPI: true'")
		}
		if loads.Prometheus != nil {
			at, err := url.Parse(loads.Prometheus.URL)
			if err != nil || at.Host == "" || (at.Scheme != "http" && at.Scheme != "https") {
				return fmt.Errorf("loads.prometheus.url: '%s' is no URL of http or https", loads.Prometheus.URL)
			}
		}
	}
	if moves := a.Rescheduling; moves != nil {
		if moves.EvictionsMax < 1 || moves.EvictionsMax > evictionsMaxLimit {
			return fmt.Errorf("rescheduling.evictionsMax: %d is not from 1 to %d", moves.EvictionsMax, evictionsMaxLimit)
		}
		if wrong := validation.IsDNS1123Label(moves.LeaseNamespace); wrong != nil {
			return fmt.Errorf("rescheduling.leaseNamespace: '%s' is no namespace", moves.LeaseNamespace)
		}
		if wrong := validation.IsDNS1123Subdomain(moves.LeaseName); wrong != nil {
			return fmt.Errorf("rescheduling.leaseName: '%s' is no name of a lease", moves.LeaseName)
		}
	}
	if a.Annotate != annotateNone && a.Annotate != annotateBrief && a.Annotate != annotateFull {
		return fmt.Errorf("annotate: '%s' is none of '%s', '%s' and '%s'", a.Annotate, annotateNone, annotateBrief, annotateFull)
	}
	if listen := a.Listen; listen != nil {
		host, _, err := net.SplitHostPort(listen.Address)
		if err != nil {
			return fmt.Errorf("listen.address: '%s' is no address and port; expected one as 127.0.0.1:10270", listen.Address)
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !listen.BeyondLoopback {
			return fmt.Errorf("listen.address: '%s' is reached from other machines; set listen.beyondLoopback if they may", listen.Address)
		}
	}
	return nil
}

// builtInText is the policy while there is no ConfigMap.
func (a *Args) builtInText() string {
	builtIn := "spread"
	if a.Policy != nil {
		builtIn = a.Policy.BuiltIn
	}
	return "policy: default\nextends: " + builtIn + "\n"
}
