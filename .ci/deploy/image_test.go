package deploy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// image returns what is wrong with a Dockerfile, by BuildKit's parser and our rules for
// the last stage: a user by number who is not root, no shell, and two folders to write to.
func image(dockerfile string) error {
	parsed, err := parser.Parse(strings.NewReader(dockerfile))
	if err != nil {
		return err
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		return err
	}
	var found []error
	for _, s := range stages {
		if _, tag, ok := strings.Cut(s.BaseName, ":"); !ok || tag == "latest" {
			found = append(found, fmt.Errorf("image %s has no version", s.BaseName))
		}
	}
	user, entry, env := "", false, map[string]string{}
	for _, command := range stages[len(stages)-1].Commands {
		switch c := command.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.EntrypointCommand:
			entry = !c.PrependShell
		case *instructions.EnvCommand:
			for _, e := range c.Env {
				env[e.Key] = e.Value
			}
		}
	}
	if name, _, _ := strings.Cut(user, ":"); strings.Trim(name, "0123456789") != "" || strings.Trim(name, "0") == "" {
		found = append(found, fmt.Errorf("runs as %q", user))
	}
	if env["ROUNDTABLE_STATE"] != "/state" || env["XDG_CACHE_HOME"] != "/tmp" {
		found = append(found, errors.New("writes elsewhere than to /state and /tmp"))
	}
	if !entry {
		found = append(found, errors.New("no entry point, or one that needs a shell"))
	}
	return errors.Join(found...)
}

func TestImage(t *testing.T) {
	whole := read(t, "Dockerfile")
	if err := image(whole); err != nil {
		t.Error(err)
	}
	finds(t, image(plant(t, whole, "USER 65532:65532", "USER root")), `runs as "root"`)
	finds(t, image(plant(t, whole, "USER 65532:65532", "")), `runs as ""`)
	finds(t, image(plant(t, whole, " XDG_CACHE_HOME=/tmp", "")), "writes elsewhere")
	finds(t, image(plant(t, whole, "WORKDIR /src", "WORKDIRS /src")), "WORKDIRS")
	finds(t, image(plant(t, whole, "golang:1.26.8-trixie", "golang:latest")), "no version")

	// The Go that builds the image is the one that go.mod names.
	_, version, _ := strings.Cut(readRoot(t, "go.mod"), "\ngo ")
	version, _, _ = strings.Cut(version, "\n")
	if !strings.Contains(whole, "FROM golang:"+version+"-") {
		t.Errorf("go.mod names Go %s, and the Dockerfile another", version)
	}
}

func TestHadolint(t *testing.T) {
	if *hadolint == "" {
		t.Skip("SKIPPED: no hadolint: the Dockerfile is not checked by it")
	}
	lint := func(text string) error {
		path := filepath.Join(t.TempDir(), "Dockerfile")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := execute(nil, ".", *hadolint, "--no-color", path)
		return err
	}
	whole := read(t, "Dockerfile")
	if err := lint(whole); err != nil {
		t.Error(err)
	}
	finds(t, lint(plant(t, whole, "USER 65532:65532", "USER root")), "DL3002")
	finds(t, lint(plant(t, whole, "FROM golang:1.26.8-trixie", "FROM golang")), "DL3006")
}
