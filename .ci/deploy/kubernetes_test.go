package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yannh/kubeconform/pkg/validator"
	"sigs.k8s.io/yaml"
)

// keda is the release whose definitions of its resources are compared with.
const keda = "github.com/kedacore/keda/v2@v2.21.0"

// conforms returns what kubeconform finds in manifests.
func conforms(v validator.Validator, manifests string) error {
	var found []error
	for _, r := range v.Validate("manifests", io.NopCloser(strings.NewReader(manifests))) {
		if r.Status != validator.Valid && r.Status != validator.Empty {
			found = append(found, r.Err, fmt.Errorf("status %d of %s", r.Status, r.Resource.Bytes[:min(80, len(r.Resource.Bytes))]))
		}
		for _, e := range r.ValidationErrors {
			found = append(found, &e)
		}
	}
	return errors.Join(found...)
}

// newValidator makes a folder of strict schemas for kubeconform: those of Kubernetes,
// which it makes refer to each other in the folder, and KEDA's.
func newValidator(t *testing.T) (validator.Validator, string) {
	t.Helper()
	if *schemas == "" {
		t.Skip("SKIPPED: no schemas of Kubernetes: manifests are not compared with them")
	}
	dir := t.TempDir()
	paths, err := filepath.Glob(*schemas + "/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s holds no schemas: %v", *schemas, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// $id is an address on the network, which references would be relative to.
		data = bytes.ReplaceAll(data, []byte(`"$id":`), []byte(`"$comment":`))
		data = bytes.ReplaceAll(data, []byte(`"/api/_definitions.json`), []byte(`"_definitions.json`))
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	module := kedaSchemas(t, dir)
	v, err := validator.New([]string{dir + "/{{ .ResourceKind }}{{ .KindSuffix }}.json"}, validator.Opts{Strict: true, KubernetesVersion: kubernetes})
	if err != nil {
		t.Fatal(err)
	}
	return v, module
}

// kedaSchemas writes the schemas of KEDA's resources, and returns the folder of its source.
func kedaSchemas(t *testing.T, dir string) string {
	t.Helper()
	out, err := execute(nil, t.TempDir(), "go", "mod", "download", "-json", keda)
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &module); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"scaledobject", "triggerauthentication"} {
		data, err := os.ReadFile(module.Dir + "/config/crd/bases/keda.sh_" + kind + "s.yaml")
		if err != nil {
			t.Fatal(err)
		}
		var definition any
		if err := yaml.Unmarshal(data, &definition); err != nil {
			t.Fatal(err)
		}
		schema := at(list(definition, "spec", "versions")[0], "schema", "openAPIV3Schema")
		closeObjects(schema)
		data, err = json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, kind+"-keda-v1alpha1.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return module.Dir
}

// closeObjects has a schema refuse properties that it does not name, but for metadata,
// which a definition leaves open.
func closeObjects(schema any) {
	node, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if properties, ok := node["properties"].(map[string]any); ok {
		node["additionalProperties"] = false
		for _, p := range properties {
			closeObjects(p)
		}
	}
	closeObjects(node["items"])
}

func TestManifestsConform(t *testing.T) {
	v, _ := newValidator(t)
	for _, name := range variants {
		if err := conforms(v, variant(t, name, "")); err != nil {
			t.Errorf("chart with values %q: %v", name, err)
		}
	}
	for _, name := range []string{"roundtable.yaml", "campaign.yaml", "autoscaling.yaml"} {
		if err := conforms(v, read(t, "manifests/"+name)); err != nil {
			t.Errorf("manifests/%s: %v", name, err)
		}
	}
	finds(t, conforms(v, plant(t, variant(t, "", ""), "readinessProbe:", "readynessProbe:")), "readynessProbe")
	finds(t, conforms(v, plant(t, variant(t, "campaign", ""), "backoffLimit: 20", "backoffLimit: twenty")), "backoffLimit")
	finds(t, conforms(v, plant(t, variant(t, "autoscaling", ""), "minReplicaCount:", "minimumReplicaCount:")), "minimumReplicaCount")
}

var setting = regexp.MustCompile(`keda:"name=(\w+)`)

// TestAutoscalingSettings compares the trigger's settings with those that KEDA reads:
// its definition of a ScaledObject takes any.
func TestAutoscalingSettings(t *testing.T) {
	_, module := newValidator(t)
	source, err := os.ReadFile(module + "/pkg/scalers/temporal_scaler.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, m := range setting.FindAllStringSubmatch(string(source), -1) {
		known[m[1]] = true
	}
	checked := 0
	for _, o := range append(objects(t, variant(t, "autoscaling", "")), objects(t, variant(t, "cloud", ""))...) {
		for _, trigger := range list(o, "spec", "triggers") {
			metadata, _ := at(trigger, "metadata").(map[string]any)
			for name := range metadata {
				checked++
				if !known[name] {
					t.Errorf("KEDA's scaler for Temporal has no setting %q", name)
				}
			}
		}
		for _, secret := range list(o, "spec", "secretTargetRef") {
			checked++
			if name, _ := at(secret, "parameter").(string); !known[name] {
				t.Errorf("KEDA's scaler for Temporal has no parameter %q", name)
			}
		}
	}
	if checked < 10 || !known["targetQueueSize"] || known["targetQueueLength"] {
		t.Errorf("checked %d settings against %d of KEDA", checked, len(known))
	}
}
