package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestProgramsGetNoKeys(t *testing.T) {
	t.Setenv(PassEnv, "MY_MODEL_DIR, GH_HOST")
	got := passedOn([]string{
		"PATH=/bin", "OPENAI_API_KEY=sk-1", "AWS_PROFILE=me", "HF_TOKEN=x", "db_password=x", "HOME=/root", "LC_ALL=C", "PGPASSWORD=x", "GH_PAT=x", "DATABASE_URL=postgres://a:b@c",
		"MONKEY=1", "ROUNDTABLE_PROGRAMS=*", "ROUNDTABLE_CODEC_KEY=x", "MY_MODEL_DIR=/m", "GH_HOST=h", "HTTPS_PROXY=http://a:b@c", "PATHS=x", "KUBECONFIG=x", "VIRTUAL_ENV=/v",
	})
	if want := []string{"PATH=/bin", "HOME=/root", "LC_ALL=C", "MY_MODEL_DIR=/m", "GH_HOST=h", "VIRTUAL_ENV=/v"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A program is trusted in its folder, as it is: not another one that is called the same.
func TestTrustIsAPlace(t *testing.T) {
	mine, theirs := t.TempDir(), t.TempDir()
	command := []string{"python3", "well.py"}
	write := func(dir, text string) {
		if err := os.WriteFile(filepath.Join(dir, "well.py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(mine, "print(1)")
	write(theirs, "print(1)")
	entry, err := TrustOf(mine, command)
	if err != nil || !strings.HasPrefix(entry, "python3 well.py in "+mine+" #") {
		t.Fatalf("%q: %v", entry, err)
	}
	for _, set := range []string{entry, "'other in /x, y #0123', " + entry, entry[strings.Index(entry, "#"):], "*", "x,*"} {
		t.Setenv(TrustEnv, set)
		if err := CheckTrusted(mine, command); err != nil {
			t.Errorf("%q: %v", set, err)
		}
	}
	for _, set := range []string{"", "python3 well.py", "python3 well.py in " + mine, entry[:len(entry)-1], "x*"} {
		t.Setenv(TrustEnv, set)
		if err := CheckTrusted(mine, command); err == nil || !strings.Contains(err.Error(), "export ROUNDTABLE_PROGRAMS='"+entry+"'") {
			t.Errorf("%q: %v", set, err)
		}
	}
	t.Setenv(TrustEnv, entry)
	for what, err := range map[string]error{
		"another folder": CheckTrusted(theirs, command), "another command": CheckTrusted(mine, []string{"python3", "-i", "well.py"}), "another split": CheckTrusted(mine, []string{"python3 well.py"}),
	} {
		if err == nil {
			t.Errorf("%s is trusted", what)
		}
	}
	spoof, err := TrustOf(theirs, []string{"python3", "well.py", ", * ,", entry})
	if err != nil {
		t.Fatal(err)
	}
	if t.Setenv(TrustEnv, spoof); CheckTrusted(mine, command) == nil {
		t.Errorf("%q trusts what its words say", spoof)
	}
	t.Setenv(TrustEnv, entry)
	write(mine, "import os")
	if CheckTrusted(mine, command) == nil {
		t.Error("another content is trusted")
	}
}
