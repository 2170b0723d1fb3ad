package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

// What a file names, or stands next to it, keeps nobody busy: pipes are not waited for, and
// devices are not read.
func TestPipesAndDevices(t *testing.T) {
	const file = "name: x\nenv: exchange\nprotocol: roundtable\nrule: plurality\n"
	for name, x := range map[string]struct{ text, want string }{
		"extends, a pipe":   {"name: x\nextends: pipe.yaml\n", "not a regular file"},
		"extends, a device": {"name: x\nextends: /dev/zero\n", "/dev/zero is not read"},
		"extends, a link":   {"name: x\nextends: endless.yaml\n", "endless.yaml is not read"},
		"extends, a folder": {"name: x\nextends: folder.yaml\n", "not a regular file"},
		"extends, no YAML":  {"name: x\nextends: secret\n", "secret is not read"},
		"extends, led away": {"name: x\nextends: led.yaml\n", "led.yaml is not read"},
		"prices":            {file + "model: openai/m\nprices: pipe\n", "not a regular file"},
		"prices, a device":  {file + "model: openai/m\nprices: /dev/zero\n", "not a regular file"},
		"replay":            {file + "model: {name: replay/a, file: pipe}\n", "not a regular file"},
		"data":              {strings.Replace(file, "env: exchange", "env: {name: qa, format: csv, file: pipe}", 1) + "data: .\nmodel: scripted/answerer\n", "not a regular file"},
		"data, a pipe":      {strings.Replace(file, "env: exchange", "env: {name: qa, format: csv, file: pipe}", 1) + "data: pipe\nmodel: scripted/answerer\n", "is not a folder"},
		"prompts":           {file + "prompts: folder\nmodel: scripted/trader\n", "not a regular file"},
		"keys":              {file + "model: scripted/trader\n", "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "campaign.yaml")
			err := errors.Join(os.WriteFile(path, []byte(x.text), 0o600), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
				os.MkdirAll(filepath.Join(dir, "folder", "protocol"), 0o700), os.Symlink("/dev/zero", filepath.Join(dir, "endless.yaml")),
				syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600), os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700),
				os.WriteFile(filepath.Join(dir, "secret"), []byte("root:canary"), 0o600), os.Symlink("secret", filepath.Join(dir, "led.yaml")))
			if name == "prompts" {
				err = errors.Join(err, syscall.Mkfifo(filepath.Join(dir, "folder", "protocol", "message.tmpl"), 0o600))
			}
			if name == "keys" {
				err = errors.Join(err, syscall.Mkfifo(filepath.Join(dir, ".env"), 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				_, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), path, storetest.NewMemory(map[string]string{}), false)
				done <- err
			}()
			select {
			case err := <-done:
				if err == nil || !strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), "canary") {
					t.Errorf("it ends with %v", err)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("it does not end")
			}
		})
	}
}
