package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
)

// kubernetes is the version that manifests are rendered for and compared with.
const kubernetes = "1.37.0"

// variants are the values that the chart is rendered with.
var variants = []string{"", "campaign", "autoscaling", "cloud"}

// render returns what `helm template roundtable CHART --values VALUES` prints; with
// only, what --show-only does.
func render(dir string, values chartutil.Values, only string) (string, error) {
	c, err := loader.Load(dir)
	if err != nil {
		return "", err
	}
	version, err := chartutil.ParseKubeVersion(kubernetes)
	if err != nil {
		return "", err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *version
	all, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{Name: "roundtable", Namespace: "default", Revision: 1, IsInstall: true}, capabilities)
	if err != nil {
		return "", err
	}
	made, err := engine.Render(c, all)
	if err != nil {
		return "", err
	}
	for name := range made {
		if strings.HasSuffix(name, ".txt") || strings.HasPrefix(filepath.Base(name), "_") {
			delete(made, name)
		}
	}
	hooks, manifests, err := releaseutil.SortManifests(made, nil, releaseutil.InstallOrder)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	print := func(path, content string) {
		if only == "" || path == c.Name()+"/"+only {
			fmt.Fprintf(&out, "---\n# Source: %s\n%s\n", path, strings.TrimSpace(content))
		}
	}
	for _, m := range manifests {
		print(m.Name, m.Content)
	}
	for _, h := range hooks {
		print(h.Path, h.Manifest)
	}
	return out.String(), nil
}

// variant returns the chart's manifests with the values of one of its examples.
func variant(t *testing.T, name, only string) string {
	t.Helper()
	values := chartutil.Values{}
	if name != "" {
		var err error
		if values, err = chartutil.ReadValuesFile(files + "/chart/examples/" + name + ".yaml"); err != nil {
			t.Fatal(err)
		}
	}
	out, err := render(files+"/chart", values, only)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestManifests compares the plain manifests with what the chart makes. -update writes them.
func TestManifests(t *testing.T) {
	head := "# Made from infra/deploy/chart by `make manifests`: change that.\n"
	for name, want := range map[string]string{
		"roundtable.yaml":  head + variant(t, "", ""),
		"campaign.yaml":    head + variant(t, "campaign", "templates/campaigns.yaml"),
		"autoscaling.yaml": head + variant(t, "autoscaling", "templates/autoscaling.yaml"),
	} {
		path := filepath.Join(files, "manifests", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if read(t, "manifests/"+name) != want {
			t.Errorf("infra/deploy/manifests/%s is not what the chart makes: run `make manifests`", name)
		}
	}
}

// TestChart lints the chart, and plants errors in its values and in a template.
func TestChart(t *testing.T) {
	version, err := chartutil.ParseKubeVersion(kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range lint.AllWithKubeVersion(files+"/chart", nil, "default", version).Messages {
		if m.Severity > support.InfoSev {
			t.Error(m)
		}
	}
	_, err = render(files+"/chart", chartutil.Values{"wroker": map[string]any{}}, "")
	finds(t, err, "wroker")
	_, err = render(files+"/chart", chartutil.Values{"worker": map[string]any{"terminationGracePeriodSeconds": 30}}, "")
	finds(t, err, "terminationGracePeriodSeconds")
	_, err = render(files+"/chart", chartutil.Values{"temporal": map[string]any{"insecure": false}, "autoscaling": map[string]any{"enabled": true, "queue": "roundtable-1@1f2e3d4c"}}, "")
	finds(t, err, "KEDA speaks TLS only with")
	_, err = render(files+"/chart", chartutil.Values{"autoscaling": map[string]any{"enabled": true}}, "")
	finds(t, err, "autoscaling.queue")

	broken := t.TempDir()
	if err := os.CopyFS(broken, os.DirFS(files+"/chart")); err != nil {
		t.Fatal(err)
	}
	template := plant(t, read(t, "chart/templates/worker.yaml"), "{{ .Values.worker.replicas }}", "{{ .Values.worker.replicas }")
	if err := os.WriteFile(broken+"/templates/worker.yaml", []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = render(broken, nil, "")
	finds(t, err, "worker.yaml")
}

// TestAutoscalingQueues compares the names of the queues with the program's: its engine,
// a lake, and for a model with its own limit that model.
func TestAutoscalingQueues(t *testing.T) {
	out, err := execute(nil, ".", *binary, "version")
	if err != nil {
		t.Fatal(err)
	}
	version := engineVersion.FindStringSubmatch(out)
	if version == nil {
		t.Fatalf("`roundtable version` names no engine: %s", out)
	}
	var queues []any
	for _, o := range objects(t, variant(t, "autoscaling", "templates/autoscaling.yaml")) {
		for _, trigger := range list(o, "spec", "triggers") {
			queues = append(queues, at(trigger, "metadata", "taskQueue"))
		}
	}
	engine := "roundtable-" + version[1] + "@1f2e3d4c"
	if want := []any{engine, engine + "/openai/gpt-4o"}; !reflect.DeepEqual(queues, want) {
		t.Errorf("autoscaling looks at queues %v, expected %v", queues, want)
	}
	if source := readRoot(t, "workflows/task/task.go"); !strings.Contains(source, `Queue + "@" + lake`) || !strings.Contains(source, `queue + "/" + model`) {
		t.Error("workflows/task names its queues otherwise: change this test and the chart")
	}
}

var engineVersion = regexp.MustCompile(`engine (\d+)`)

// TestDashboard has the chart carry Grafana's dashboard as it is.
func TestDashboard(t *testing.T) {
	whole := read(t, "dashboard.json")
	out, err := render(files+"/chart", chartutil.Values{"dashboard": whole}, "templates/dashboard.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects(t, out) {
		var want, got any
		text, _ := at(o, "data", "roundtable.json").(string)
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(whole), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Error("the chart's dashboard is another than dashboard.json")
		}
		return
	}
	t.Error("the chart makes no dashboard")
}
