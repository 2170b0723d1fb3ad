package embedded

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOtherMinorSetsTheDatabaseAside(t *testing.T) {
	dir := t.TempDir()
	path := databasePath(dir)
	for n, aside := range []string{"temporal.db.old-1.31.2", "temporal.db.old-1.31.2.2"} {
		write(t, path, "old")
		write(t, path+"-wal", "old log")
		write(t, versionPath(dir), "1.31.2\n")
		var notices bytes.Buffer
		if err := prepareDatabase(dir, nil, &notices); err != nil {
			t.Fatal(err)
		}
		if text := notices.String(); !strings.Contains(text, aside) || !strings.Contains(text, "1.31.2") || !strings.Contains(text, Version) {
			t.Errorf("time %d: notice %q", n, text)
		}
		if read(t, filepath.Join(dir, aside)) != "old" || read(t, filepath.Join(dir, aside+"-wal")) != "old log" {
			t.Errorf("time %d: the old database is not whole", n)
		}
		if _, err := os.Stat(path + "-wal"); err == nil {
			t.Error("the new database has the old one's log")
		}
		if !strings.HasPrefix(read(t, path), "SQLite format 3") || read(t, versionPath(dir)) != Version+"\n" {
			t.Error("no new database")
		}
	}
}

func TestSameMinorKeepsTheDatabase(t *testing.T) {
	dir := t.TempDir()
	var notices bytes.Buffer
	if err := prepareDatabase(dir, nil, &notices); err != nil {
		t.Fatal(err)
	}
	kept := read(t, databasePath(dir))
	write(t, versionPath(dir), minorOf(Version)+".999\n")
	if err := prepareDatabase(dir, nil, &notices); err != nil || notices.Len() > 0 {
		t.Fatalf("%v, notice %q", err, notices.String())
	}
	if read(t, databasePath(dir)) != kept {
		t.Error("the database was replaced")
	}
	if info, err := os.Stat(databasePath(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A kill during the first start leaves a half-built temporal.db.new, perhaps logs.
func TestHalfBuiltDatabaseIsBuiltAgain(t *testing.T) {
	dir := t.TempDir()
	write(t, databasePath(dir)+".new", "half")
	write(t, databasePath(dir)+"-wal", "of a database that is gone")
	if err := prepareDatabase(dir, nil, os.Stderr); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(read(t, databasePath(dir)), "SQLite format 3") {
		t.Error("no database")
	}
	for _, left := range []string{".new", "-wal"} {
		if _, err := os.Stat(databasePath(dir) + left); err == nil {
			t.Errorf("%s is still there", left)
		}
	}
}

func TestVersionsThatAreNone(t *testing.T) {
	for _, text := range []string{"", "\n", "../../etc", "1.2;rm"} {
		dir := t.TempDir()
		write(t, versionPath(dir), text)
		if v, err := readVersion(dir); v != "unknown" || err != nil {
			t.Errorf("%q read as %q, %v", text, v, err)
		}
	}
	if v, err := readVersion(t.TempDir()); v != "unknown" || err != nil {
		t.Errorf("no file read as %q, %v", v, err)
	}
}

func TestFreeSpace(t *testing.T) {
	free, err := FreeBytes(t.TempDir())
	if err != nil || free == 0 {
		t.Errorf("%d, %v", free, err)
	}
	if err := checkFree("here", MinFreeBytes); err != nil {
		t.Error(err)
	}
	if err := checkFree("here", MinFreeBytes-1); err == nil || !strings.Contains(err.Error(), "here") {
		t.Errorf("too little room: %v", err)
	}
	if _, err := FreeBytes(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("free space of nothing")
	}
}

func TestSynchronousSetting(t *testing.T) {
	ports, kept, err := choosePorts()
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	sql := serverConfig("/x/temporal.db", ports, Config{}).Persistence.DataStores["sqlite"].SQL
	if sql.ConnectAttributes["synchronous"] != "1" || sql.ConnectAttributes["journal_mode"] != "wal" || sql.MaxConns != 0 {
		t.Error(sql)
	}
}

// A folder in the place of the database is kept under another name, whatever version is noted beside it.
func TestFolderInThePlaceOfTheDatabase(t *testing.T) {
	for _, version := range []string{"", "1.31.2\n", Version + "\n"} {
		dir := t.TempDir()
		path := databasePath(dir)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(path, "own"), "kept")
		if version != "" {
			write(t, versionPath(dir), version)
		}
		var notices bytes.Buffer
		if err := prepareDatabase(dir, nil, &notices); err != nil || !strings.Contains(notices.String(), "The workflow database was a folder. It was moved to "+path+".old-folder") {
			t.Errorf("VERSION %q: %v, notice %q", version, err, &notices)
		}
		if read(t, filepath.Join(path+".old-folder", "own")) != "kept" || !strings.HasPrefix(read(t, path), "SQLite format 3") {
			t.Errorf("VERSION %q: the folder is not kept, or there is no database", version)
		}
	}
}
