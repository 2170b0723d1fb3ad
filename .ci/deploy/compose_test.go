package deploy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// secrets are the variables that .env has to hold.
var secrets = []string{"POSTGRES_PASSWORD=p", "S3_ACCESS_KEY=a", "S3_SECRET_KEY=s", "GRAFANA_PASSWORD=g"}

// asWritten leaves variables as they stand in the file.
var asWritten = []cli.ProjectOptionsFn{cli.WithInterpolation(false), cli.WithNormalization(false), cli.WithConsistency(false)}

// compose reads a compose file as `docker compose config` does.
func compose(t *testing.T, text string, env []string, options ...cli.ProjectOptionsFn) (*types.Project, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "compose.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	options = append([]cli.ProjectOptionsFn{cli.WithWorkingDirectory(files + "/compose"), cli.WithEnv(env), cli.WithProfiles([]string{"*"})}, options...)
	o, err := cli.NewProjectOptions([]string{path}, options...)
	if err != nil {
		return nil, err
	}
	return o.LoadProject(t.Context())
}

// exposed returns what is wrong with a service.
func exposed(name string, s types.ServiceConfig) error {
	var found []error
	want := func(ok bool, what string, args ...any) {
		if !ok {
			found = append(found, fmt.Errorf("%s: "+what, append([]any{name}, args...)...))
		}
	}
	for _, p := range s.Ports {
		want(p.HostIP == "127.0.0.1", "port %s is open to other machines", p.Published)
	}
	_, tag, _ := strings.Cut(s.Image, ":")
	want(tag != "" && tag != "latest", "image %s has no version", s.Image)
	want(slices.Contains(s.SecurityOpt, "no-new-privileges:true") && slices.Contains(s.CapDrop, "ALL"), "has privileges that it need not have")
	want(s.Restart != "" || len(s.Profiles) > 0, "no restart policy")
	for other, d := range s.DependsOn {
		want(d.Condition != types.ServiceConditionStarted, "does not wait until %s is ready", other)
	}
	if strings.HasPrefix(s.Image, "roundtable:") {
		want(s.PullPolicy == types.PullPolicyNever, "may be another's image")
		want(s.ReadOnly, "root can be written to")
		want(s.User == "65532:65532", "runs as %q", s.User)
	}
	return errors.Join(found...)
}

// inClear returns the secrets that stand in a file that is not interpolated.
func inClear(p *types.Project) error {
	var found []error
	for name, s := range p.Services {
		for key, value := range s.Environment {
			if isSecret(key) && value != nil && !strings.HasPrefix(*value, "${") {
				found = append(found, fmt.Errorf("%s: %s is in clear", name, key))
			}
		}
	}
	return errors.Join(found...)
}

func TestCompose(t *testing.T) {
	whole := read(t, "compose/compose.yaml")
	p, err := compose(t, whole, secrets)
	if err != nil {
		t.Fatal(err)
	}
	known := documented(t)
	for name, s := range p.Services {
		if err := exposed(name, s); err != nil {
			t.Error(err)
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if !strings.HasPrefix(s.Image, "roundtable:") {
			continue
		}
		if err := accepts(s.Command); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for key := range s.Environment {
			if !known[key] {
				t.Errorf("%s: the program reads no variable %q", name, key)
			}
		}
	}
	for _, name := range []string{"postgres", "temporal", "temporal-ui", "s3", "worker", "prometheus", "grafana"} {
		if _, ok := p.Services[name]; !ok {
			t.Errorf("no service %s", name)
		}
	}
	if w := p.Services["worker"]; w.Deploy == nil || w.Deploy.Replicas == nil || *w.Deploy.Replicas != 3 {
		t.Error("not three workers")
	}
	raw, err := compose(t, whole, nil, asWritten...)
	if err != nil {
		t.Fatal(err)
	}
	if err := inClear(raw); err != nil {
		t.Error(err)
	}
}

// TestComposeErrors plants errors.
func TestComposeErrors(t *testing.T) {
	whole := read(t, "compose/compose.yaml")
	_, err := compose(t, plant(t, whole, "shm_size:", "smh_size:"), secrets)
	finds(t, err, "smh_size")
	_, err = compose(t, plant(t, whole, "      postgres: {condition: service_healthy}", "      postgresql: {condition: service_healthy}"), secrets)
	finds(t, err, "postgresql")
	for i := range secrets {
		name, _, _ := strings.Cut(secrets[i], "=")
		_, err = compose(t, whole, slices.Delete(slices.Clone(secrets), i, i+1))
		finds(t, err, name)
	}
	for _, planted := range []struct{ old, bad, service, what string }{
		{`"127.0.0.1:7233:7233"`, `"7233:7233"`, "temporal", "open to other machines"},
		{"prom/prometheus:v3.5.0", "prom/prometheus", "prometheus", "no version"},
		{"prepare: {condition: service_completed_successfully}", "prepare: {condition: service_started}", "worker", "does not wait"},
		{"read_only: true", "read_only: false", "worker", "root can be written to"},
		{"pull_policy: never", "pull_policy: missing", "worker", "may be another's image"},
	} {
		p, err := compose(t, plant(t, whole, planted.old, planted.bad), secrets)
		if err != nil {
			t.Fatal(err)
		}
		finds(t, exposed(planted.service, p.Services[planted.service]), planted.what)
	}
	p, err := compose(t, plant(t, whole, "${GRAFANA_PASSWORD:?set it in .env}", "admin"), nil, asWritten...)
	if err != nil {
		t.Fatal(err)
	}
	finds(t, inClear(p), "GF_SECURITY_ADMIN_PASSWORD is in clear")
}
