package programs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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

// What is trusted is read again as it was written, whatever its words are, with whether it still is what it was.
func TestListTrusted(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine, in #1")
	file := filepath.Join(folder, "a b.py")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(file, []byte("print(1)"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var entries []string
	commands := [][]string{
		{"python3", "a b.py"}, {"in"}, {"a", "in", "b"}, {""}, {"'a", "b'"}, {"`a", `"b"`, `\`}, {"*"}, {",*,"}, {"a\x1b[2J\n"}, {"\xff", "é", "\u00a0"},
		{"x #0123456789abcdef0123456789abcdef,"},
	}
	for _, command := range commands {
		entry, err := TrustOf(folder, command)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	t.Setenv(TrustEnv, strings.Join(entries, ", "))
	list := ListTrusted()
	if len(list) != len(commands) {
		t.Fatalf("%d of %d: %v", len(list), len(commands), list)
	}
	for i, got := range list {
		if !slices.Equal(got.Command, commands[i]) || got.Folder != folder || !strings.HasSuffix(entries[i], "#"+got.Hash) || got.State != "as it was trusted" {
			t.Errorf("%q: %+v", commands[i], got)
		}
	}
	mark := entries[0][strings.LastIndex(entries[0], "#"):]
	if err := os.WriteFile(file, []byte("import os"), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string][]string{
		"": nil, " , ": nil, "*": {"every program is trusted"}, mark: {"named by its hash alone"}, "python3 " + mark: {"named by its hash alone"},
		entries[0] + " " + mark:    {"not as it was trusted, so it is not run", "named by its hash alone"},
		"python3 well.py in /home": {"not trusted: its entry has no hash"}, "x*, " + entries[1]: {"not trusted: its entry has no hash", "as it was trusted"},
	} {
		t.Setenv(TrustEnv, given)
		var got []string
		for _, one := range ListTrusted() {
			got = append(got, one.State)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// The words of an entry count as its hash does: what it shows is what it trusts.
func TestTrustIsOfTheWords(t *testing.T) {
	folder := t.TempDir()
	entry, err := TrustOf(folder, []string{"sh", "one.sh"})
	if err != nil {
		t.Fatal(err)
	}
	mark := entry[strings.LastIndex(entry, "#"):]
	for given, trusts := range map[string]bool{
		entry: true, mark: true,
		"sh other.sh in " + folder + " " + mark: false, "sh one.sh in /elsewhere " + mark: false,
	} {
		t.Setenv(TrustEnv, given)
		if err := CheckTrusted(folder, []string{"sh", "one.sh"}); (err == nil) != trusts {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// A stranger's command whose files have no end keeps nobody busy.
func TestTrustIsBounded(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "endless")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 1<<40)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for _, command := range [][]string{{"./endless"}, {"sh", "endless"}} {
		if _, err := TrustOf(folder, command); err == nil || !strings.Contains(err.Error(), "more than 512 MB") {
			t.Errorf("%q: %v", command, err)
		}
	}
	if entry, err := TrustOf(folder, []string{"./pipe", "/dev/zero"}); err != nil {
		t.Errorf("%q: %v", entry, err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it takes %v", took)
	}
}
