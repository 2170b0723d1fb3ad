package deploy

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// objects returns the documents of manifests.
func objects(t *testing.T, manifests string) []any {
	t.Helper()
	var found []any
	for document := range strings.SplitSeq("\n"+manifests, "\n---\n") {
		var o any
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatal(err)
		}
		if o != nil {
			found = append(found, o)
		}
	}
	return found
}

// at returns the value under keys, or nil.
func at(o any, keys ...string) any {
	for _, key := range keys {
		m, _ := o.(map[string]any)
		o = m[key]
	}
	return o
}

func list(o any, keys ...string) []any {
	l, _ := at(o, keys...).([]any)
	return l
}

// unsafe returns what a pod is allowed that it need not be, or lacks.
func unsafe(pod any) []string {
	var found []string
	want := func(ok bool, what string) {
		if !ok {
			found = append(found, what)
		}
	}
	user, _ := at(pod, "securityContext", "runAsUser").(float64)
	want(at(pod, "securityContext", "runAsNonRoot") == true && user > 0, "runs as root")
	want(at(pod, "securityContext", "seccompProfile", "type") == "RuntimeDefault", "no seccomp profile")
	want(at(pod, "automountServiceAccountToken") == false, "gets a token of the cluster")
	for _, c := range list(pod, "containers") {
		security := at(c, "securityContext")
		want(at(security, "readOnlyRootFilesystem") == true, "root can be written to")
		want(at(security, "allowPrivilegeEscalation") == false, "privileges can rise")
		drop := list(security, "capabilities", "drop")
		want(len(drop) == 1 && drop[0] == "ALL", "has capabilities")
		for _, kind := range []string{"requests", "limits"} {
			for _, what := range []string{"cpu", "memory"} {
				want(at(c, "resources", kind, what) != nil, "no "+kind+" of "+what)
			}
		}
		for _, e := range list(c, "env") {
			name, _ := at(e, "name").(string)
			want(!isSecret(name) || at(e, "value") == nil, name+" is in clear")
		}
	}
	return found
}

// isSecret reports whether a variable of this name holds a secret, not a path to one.
func isSecret(name string) bool {
	for _, part := range []string{"KEY", "PASSWORD", "PWD", "SECRET", "TOKEN"} {
		if strings.Contains(name, part) && !strings.HasSuffix(name, "_PATH") && !strings.HasSuffix(name, "_FILE") {
			return true
		}
	}
	return false
}

// TestPods looks at every pod of every variant of the chart.
func TestPods(t *testing.T) {
	known, pods := documented(t), 0
	for _, name := range variants {
		for _, o := range objects(t, variant(t, name, "")) {
			pod := at(o, "spec", "template", "spec")
			if pod == nil {
				continue
			}
			pods++
			for _, what := range unsafe(pod) {
				t.Errorf("values %q, %v %v: %s", name, at(o, "kind"), at(o, "metadata", "name"), what)
			}
			for _, c := range list(pod, "containers") {
				var args []string
				for _, a := range list(c, "args") {
					args = append(args, a.(string))
				}
				if err := accepts(args); err != nil {
					t.Errorf("values %q: %v", name, err)
				}
				for _, e := range list(c, "env") {
					if v, _ := at(e, "name").(string); !known[v] {
						t.Errorf("values %q: the program reads no variable %q", name, v)
					}
				}
			}
		}
	}
	if pods < 2*len(variants) {
		t.Errorf("found %d pods", pods)
	}
}

// TestPodsAreSeen plants an error of each kind.
func TestPodsAreSeen(t *testing.T) {
	whole := variant(t, "", "templates/worker.yaml")
	for _, p := range []struct{ old, bad, what string }{
		{"runAsNonRoot: true", "runAsNonRoot: false", "runs as root"},
		{"runAsUser: 65532", "runAsUser: 0", "runs as root"},
		{"type: RuntimeDefault", "type: Unconfined", "no seccomp profile"},
		{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "root can be written to"},
		{"drop: [ALL]", "drop: [CHOWN]", "has capabilities"},
		{"memory: 2Gi", "pods: 1", "no limits of memory"},
		{"name: TEMPORAL_ADDRESS", "name: TEMPORAL_API_KEY", "TEMPORAL_API_KEY is in clear"},
	} {
		found := ""
		for _, o := range objects(t, plant(t, whole, p.old, p.bad)) {
			if pod := at(o, "spec", "template", "spec"); pod != nil {
				found += strings.Join(unsafe(pod), "; ")
			}
		}
		if !strings.Contains(found, p.what) {
			t.Errorf("%s in place of %s is not found; found: %s", p.bad, p.old, found)
		}
	}
}
