package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// terraform is the command with providers of ours, which know the schemas of the real
// ones and nothing else.
type terraform struct {
	dir string
	env []string
}

// newTerraform copies the configuration to a folder where errors can be planted.
func newTerraform(t *testing.T) terraform {
	t.Helper()
	if _, err := exec.LookPath("terraform"); err != nil {
		t.Skip("SKIPPED: no terraform: infra/deploy/terraform is not checked")
	}
	bin := t.TempDir()
	for _, name := range []string{"aws", "random"} {
		if _, err := execute(nil, ".", "go", "build", "-o", filepath.Join(bin, "terraform-provider-"+name), "./provider"); err != nil {
			t.Fatal(err)
		}
	}
	config := fmt.Sprintf("provider_installation {\n dev_overrides {\n \"hashicorp/aws\" = %q\n \"hashicorp/random\" = %[1]q\n }\n}\n", bin)
	if err := os.WriteFile(bin+"/rc", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("schemas")
	if err != nil {
		t.Fatal(err)
	}
	tf := terraform{dir: t.TempDir(), env: []string{"TF_CLI_CONFIG_FILE=" + bin + "/rc", "SCHEMAS=" + folder, "CHECKPOINT_DISABLE=1"}}
	if err := os.CopyFS(tf.dir, os.DirFS(files+"/terraform")); err != nil {
		t.Fatal(err)
	}
	return tf
}

func (tf terraform) run(args ...string) error {
	_, err := execute(tf.env, tf.dir, "terraform", args...)
	return err
}

// planted returns what a command says of one file with an error in it.
func (tf terraform) planted(t *testing.T, name, old, bad string, args ...string) error {
	t.Helper()
	whole := read(t, "terraform/"+name)
	path := filepath.Join(tf.dir, name)
	if err := os.WriteFile(path, []byte(plant(t, whole, old, bad)), 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
			t.Fatal(err)
		}
	}()
	return tf.run(args...)
}

func TestTerraform(t *testing.T) {
	tf := newTerraform(t)
	for _, args := range [][]string{{"fmt", "-check", "-diff", "-recursive"}, {"validate", "-no-color"}, {"test", "-no-color"}} {
		if err := tf.run(args...); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []struct{ file, old, bad, names string }{
		{"bucket.tf", "resource \"aws_s3_bucket\" \"lake\" {", "resource \"aws_s3_bucket\" \"lake\"", "bucket.tf"},
		{"bucket.tf", "days_after_initiation", "days_after_start", "days_after_start"},
		{"database.tf", "instance_class ", "# instance_class ", `"instance_class" is required`},
		{"roles.tf", "aws_s3_bucket.lake.arn", "aws_s3_bucket.lakes.arn", "aws_s3_bucket"},
		{"workers.tf", "desired_count                      = var.workers", "desired_count                      = \"many\"", "a number is required"},
		{"workers.tf", "propagate_tags ", "network_configuration {}\n  propagate_tags ", "network_configuration"},
	} {
		finds(t, tf.planted(t, p.file, p.old, p.bad, "validate", "-no-color"), p.names)
	}
	finds(t, tf.planted(t, "bucket.tf", "  bucket = var.bucket", "  bucket=var.bucket", "fmt", "-check", "-diff"), "bucket=var.bucket")
	for _, p := range []struct{ file, old, bad, names string }{
		{"bucket.tf", `"calls"]`, `"calls", "_commits"]`, "Only raw rows of the named campaigns expire."},
		{"roles.tf", `"s3:AbortMultipartUpload"]`, `"s3:*"]`, "and no more"},
		{"workers.tf", "readonlyRootFilesystem = true", "readonlyRootFilesystem = false", "Workers are not root"},
	} {
		finds(t, tf.planted(t, p.file, p.old, p.bad, "test", "-no-color"), p.names)
	}
}

// TestTerraformRights compares the rights to the bucket with those that the
// documentation says are the least.
func TestTerraformRights(t *testing.T) {
	_, policy, _ := strings.Cut(readRoot(t, "docs/guides/s3.md"), "The least that is needed:\n\n```json\n")
	policy, _, _ = strings.Cut(policy, "```")
	var document struct{ Statement []struct{ Action any } }
	if err := json.Unmarshal([]byte(policy), &document); err != nil || len(document.Statement) != 2 {
		t.Fatalf("the policy in docs/guides/s3.md is not read: %v", err)
	}
	roles := read(t, "terraform/roles.tf")
	_, lake, _ := strings.Cut(roles, `data "aws_iam_policy_document" "lake"`)
	lake, _, _ = strings.Cut(lake, "\nresource ")
	for _, s := range document.Statement {
		want, err := json.Marshal(s.Action)
		if err != nil {
			t.Fatal(err)
		}
		actions := strings.ReplaceAll(strings.Trim(string(want), "[]"), ",", ", ")
		if !strings.Contains(lake, "["+actions+"]") {
			t.Errorf("roles.tf lacks actions = [%s], which docs/guides/s3.md has", actions)
		}
	}
	if n := strings.Count(lake, `"s3:`); n != 5 {
		t.Errorf("roles.tf has %d rights to S3, and docs/guides/s3.md 5", n)
	}
}

var (
	command  = regexp.MustCompile(`command\s*= concat\(\[(.*?)\], local\.plaintext\)`)
	settings = regexp.MustCompile(`(?m)^\s+(?:\{ name = "([A-Z_]+)", value|(TEMPORAL_[A-Z_]+) +=)`)
)

// TestTerraformProgram compares the command line and the variables of workers with what
// the program knows.
func TestTerraformProgram(t *testing.T) {
	text := read(t, "terraform/workers.tf")
	m := command.FindStringSubmatch(text)
	if m == nil {
		t.Fatal("workers.tf has no command")
	}
	var args []string
	if err := json.Unmarshal([]byte("["+m[1]+"]"), &args); err != nil {
		t.Fatal(err)
	}
	if err := accepts(append(args, "--insecure")); err != nil {
		t.Error(err)
	}
	known, found := documented(t), settings.FindAllStringSubmatch(text, -1)
	for _, m := range found {
		if name := m[1] + m[2]; !known[name] {
			t.Errorf("workers.tf: the program reads no variable %q", name)
		}
	}
	if len(found) != 7 {
		t.Errorf("found %d variables in workers.tf", len(found))
	}
}
