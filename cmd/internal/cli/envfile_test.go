package cli

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/envs/hostiletest"
)

func TestParseEnvFile(t *testing.T) {
	got, err := parseEnvFile([]byte("\ufeff# keys\r\nA_KEY=sk-abc_1.2/3+4=\r\n\n  export B_KEY = no\n"))
	if err == nil || err.Error() != "line 4: expected NAME=VALUE" || len(got) != 1 || got[0] != (envVariable{"A_KEY", "sk-abc_1.2/3+4="}) {
		t.Errorf("got %v, error %v", got, err)
	}
	got, err = parseEnvFile([]byte(`A="a b # c"` + "\nexport B='x\"y'\nC=\nD=\"\"\nE=a#b"))
	want := []envVariable{{"A", "a b # c"}, {"B", `x"y`}, {"C", ""}, {"D", ""}, {"E", "a#b"}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("got %v, error %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}

// All errors come at once with their lines, and none shows what may be a key.
func TestParseEnvFileErrors(t *testing.T) {
	_, err := parseEnvFile([]byte("A=secret # comment\nB=\"secret\nC='sec'ret'\nsecret\nD=secret\nD=secret\nE=$secret\nF=\"a\\nsecret\"\nG=sécret\n1=secret"))
	want := `line 1: the value of A is neither a plain word nor printable text in one pair of quotes
line 2: the value of B is neither a plain word nor printable text in one pair of quotes
line 3: the value of C is neither a plain word nor printable text in one pair of quotes
line 4: expected NAME=VALUE
line 6: D is given twice
line 7: the value of E is neither a plain word nor printable text in one pair of quotes
line 8: the value of F is neither a plain word nor printable text in one pair of quotes
line 9: the value of G is neither a plain word nor printable text in one pair of quotes
line 10: expected NAME=VALUE`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if _, err := parseEnvFile([]byte(strings.Repeat("#", maxSize+1))); err == nil {
		t.Error("a file of any length is read")
	}
}

// The environment wins; what is not a key is left, and no value is shown.
func TestLoadEnvFile(t *testing.T) {
	folder := t.TempDir()
	var said strings.Builder
	if err := loadEnvFile(&said, folder); err != nil || said.Len() > 0 {
		t.Errorf("without a file: %v, %q", err, &said)
	}
	for name, value := range map[string]string{"ENVFILE_NEW_KEY": "", "ENVFILE_OLD_KEY": "mine", "AWS_PROFILE": "me", "AWS_ACCESS_KEY_ID": "", "OPENAI_BASE_URL": "", "ROUNDTABLE_TRUST": "", "ROUNDTABLE_CODEC_KEY": ""} {
		t.Setenv(name, value) // so that it is as before after the test
		if value == "" {
			os.Unsetenv(name)
		}
	}
	text := "ENVFILE_NEW_KEY=secret-1\nENVFILE_OLD_KEY=secret-2\nOPENAI_BASE_URL=https://evil\nROUNDTABLE_TRUST=https://evil\nROUNDTABLE_CODEC_KEY=secret-3\nAWS_ACCESS_KEY_ID=secret-4\n"
	if err := os.WriteFile(filepath.Join(folder, envFileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := loadEnvFile(&said, folder); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(folder, envFileName) + ": took ENVFILE_NEW_KEY; the environment has its own for ENVFILE_OLD_KEY and AWS_ACCESS_KEY_ID; left OPENAI_BASE_URL, ROUNDTABLE_TRUST and ROUNDTABLE_CODEC_KEY, which it may not set\n"
	if said.String() != want {
		t.Errorf("it says %q, want %q", &said, want)
	}
	for name, want := range map[string]string{"ENVFILE_NEW_KEY": "secret-1", "ENVFILE_OLD_KEY": "mine", "OPENAI_BASE_URL": "", "ROUNDTABLE_TRUST": "", "ROUNDTABLE_CODEC_KEY": "", "AWS_ACCESS_KEY_ID": ""} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func FuzzParseEnvFile(f *testing.F) {
	f.Add([]byte("A=b\n# c\nexport D='e f'\nG=\"h\"\r\n"))
	f.Add([]byte("A=\"\\\"\nB='\nC"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := parseEnvFile(data)
		if err != nil {
			return
		}
		var again strings.Builder
		for _, v := range all {
			if !line.MatchString(v.Name+"=") || strings.ContainsFunc(v.Value, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Fatalf("accepted %q", v)
			}
			quote := `"`
			if strings.Contains(v.Value, quote) {
				quote = "'"
			}
			if strings.ContainsAny(v.Value, "'\"\\") && strings.Contains(v.Value, quote) {
				return // a plain word cannot hold both
			}
			again.WriteString(v.Name + "=" + quote + v.Value + quote + "\n")
		}
		if back, err := parseEnvFile([]byte(again.String())); err != nil || len(back) != len(all) {
			t.Fatalf("%q is read back as %v, error %v", again.String(), back, err)
		}
	})
}

// A lake may name any folder of this machine: keys next to it are read only if the command is
// given there.
func TestEnvFileOfALake(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("OF_A_LAKE_KEY=canary-of-the-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OF_A_LAKE_KEY", "")
	os.Unsetenv("OF_A_LAKE_KEY")
	t.Chdir(t.TempDir())
	if err := os.WriteFile(".env", []byte("OF_A_LAKE_KEY=of-another-folder\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{dir: ".env is not read", "": "own folder is not known; set the keys", filepath.Join(dir, "gone"): "", t.TempDir(): ""} {
		var said strings.Builder
		err := loadEnvFileHere(&said, folder)
		if _, set := os.LookupEnv("OF_A_LAKE_KEY"); err != nil || set || !strings.Contains(said.String(), want) || (want == "") != (said.Len() == 0) {
			t.Errorf("%q: said %q, set %v, error %v", folder, said.String(), set, err)
		}
	}
	t.Chdir(dir)
	var said strings.Builder
	if err := loadEnvFileHere(&said, dir); err != nil || os.Getenv("OF_A_LAKE_KEY") != "canary-of-the-file" {
		t.Errorf("where the command is given: said %q, error %v", said.String(), err)
	}
}

var long = flag.Bool("long", false, "run the long tests as well")

// Files that a stranger could have made of a valid one take neither memory nor time.
func TestHostileEnvFile(t *testing.T) {
	n := 30
	if *long {
		n = 1000
	}
	hostiletest.ReadFiles(t, n, []string{"A=b\n# c\nexport D='e f'\nG=\"h\"\r\nKEY=sk-abc_1.2/3+4=\n"}, func(data []byte) { _, _ = parseEnvFile(data) })
}
