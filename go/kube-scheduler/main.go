// kube-scheduler with the plugin Tautochrone. It is a module of its own, so that others use the plugin without all of
// Kubernetes.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"tautochrone.dev/fleet/scheduler"
)

func main() {
	command := app.NewSchedulerCommand(app.WithPlugin(scheduler.Name, scheduler.New))
	os.Exit(cli.Run(command))
}
