package deploy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// released is where make release puts the program for a platform.
const released = "dist/programs/roundtable_${TARGETOS}_${TARGETARCH}"

// image returns what is wrong with a Dockerfile, by BuildKit's parser and our rules for the last
// stage: a release's program, a user by number who is not root, no shell, and two folders to write to.
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
	user, entry, copied, env := "", false, false, map[string]string{}
	for _, command := range stages[len(stages)-1].Commands {
		switch c := command.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.CopyCommand:
			copied = copied || c.From == "" && slices.Equal(c.SourcePaths, []string{released})
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
	if !copied {
		found = append(found, errors.New("has not the program of a release"))
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
	finds(t, image(plant(t, whole, "WORKDIR /work", "WORKDIRS /work")), "WORKDIRS")
	finds(t, image(plant(t, whole, "busybox:1.37", "busybox:latest")), "no version")
	finds(t, image(plant(t, whole, "COPY "+released, "COPY roundtable")), "has not the program of a release")

	// What make writes is what is copied, and the one thing that is sent to the builder.
	written := strings.NewReplacer("${TARGETOS}", "$(@D)", "${TARGETARCH}", "$(@F)").Replace(released)
	if !strings.Contains(readRoot(t, "Makefile"), "-o \"$(DIST)/"+strings.TrimPrefix(written, "dist/")+"\"") {
		t.Errorf("the Makefile does not write %s", written)
	}
	sent := "!" + strings.NewReplacer("${TARGETOS}", "linux", "${TARGETARCH}", "*").Replace(released)
	if ignored := read(t, "Dockerfile.dockerignore"); !strings.HasSuffix(ignored, "\n*\n"+sent+"\n") {
		t.Errorf("the builder is sent more than the program, or not that:\n%s", ignored)
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
	finds(t, lint(plant(t, whole, "busybox:1.37", "busybox")), "DL3006")
}
