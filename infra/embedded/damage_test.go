package embedded

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestDamagedDatabaseIsSetAside: everything that matters is in the lake.
func TestDamagedDatabaseIsSetAside(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"truncated": func(b []byte) []byte { return b[:len(b)/2] },
		"emptied":   func([]byte) []byte { return nil },
		"text":      func([]byte) []byte { return []byte("not a database at all\n") },
		"garbled": func(b []byte) []byte {
			copy(b[4096:], bytes.Repeat([]byte{0xa5}, 3*4096))
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var said bytes.Buffer
			if err := prepareDatabase(dir, nil, &said); err != nil || said.Len() > 0 {
				t.Fatal(err, said.String())
			}
			if err := prepareDatabase(dir, nil, &said); err != nil || said.Len() > 0 {
				t.Fatalf("a sound one: %v %s", err, &said)
			}
			sound, err := os.ReadFile(databasePath(dir))
			if err != nil {
				t.Fatal(err)
			}
			damaged := damage(bytes.Clone(sound))
			if err := os.WriteFile(databasePath(dir), damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := prepareDatabase(dir, nil, &said); err != nil {
				t.Fatal(err)
			}
			aside := databasePath(dir) + ".old-damaged"
			if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, damaged) {
				t.Errorf("the damaged one is not kept: %v", err)
			}
			if text := said.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "is damaged: ") || !strings.Contains(text, aside) {
				t.Errorf("said %q", text)
			}
			if err := checkDatabase(databasePath(dir)); err != nil {
				t.Errorf("the new one: %v", err)
			}
		})
	}
}

// TestDatabaseOfTheFutureIsSetAside: its timers would wait until then.
func TestDatabaseOfTheFutureIsSetAside(t *testing.T) {
	for _, c := range []struct {
		ahead time.Duration
		aside bool
	}{{time.Second, false}, {40 * time.Second, true}, {24 * time.Hour, true}} {
		dir := t.TempDir()
		var said bytes.Buffer
		if err := prepareDatabase(dir, nil, &said); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(databasePath(dir), time.Time{}, time.Now().Add(c.ahead)); err != nil {
			t.Fatal(err)
		}
		if err := prepareDatabase(dir, nil, &said); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(databasePath(dir) + ".old-of-the-future")
		if aside := err == nil; aside != c.aside || strings.Contains(said.String(), "the clock has been set back") != c.aside {
			t.Errorf("%s ahead: set aside %v, said %q", c.ahead, aside, said.String())
		}
	}
}

func BenchmarkCheckDatabase(b *testing.B) {
	dir := b.TempDir()
	if err := prepareDatabase(dir, nil, os.Stderr); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := checkDatabase(databasePath(dir)); err != nil {
			b.Fatal(err)
		}
	}
}
