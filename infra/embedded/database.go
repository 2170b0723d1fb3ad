package embedded

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/server/schema/sqlite"
	_ "modernc.org/sqlite" // which the server's persistence uses, too

	"roundtable/infra"
)

func databasePath(dir string) string { return filepath.Join(dir, "temporal.db") }
func versionPath(dir string) string  { return filepath.Join(dir, "VERSION") }

// companions of a SQLite file; the file itself comes last, so that a move that
// is cut short can be done again and never pairs a log with another database.
var companions = []string{"-wal", "-shm", "-journal", ""}

// prepareDir makes the folder private and checks that its disk has room.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	if err := restrictFile(dir, 0o700); err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	free, err := FreeBytes(dir)
	if err != nil {
		return err
	}
	return checkFree(dir, free)
}

// prepareDatabase leaves a database of this server's version in dir, private and
// complete: one that exists has its schema and its namespace.
func prepareDatabase(dir string, attributes []temporal.SearchAttributeKey, notices io.Writer) error {
	path := databasePath(dir)
	info, err := os.Stat(path)
	switch {
	case err == nil:
		written, err := readVersion(dir)
		if err != nil {
			return err
		}
		name, reason := written, fmt.Sprintf("was written by Temporal %s; this is %s, which cannot read it",
			written, Version)
		if info.IsDir() {
			name, reason = "folder", "was a folder"
		} else if minorOf(written) == minorOf(Version) {
			ahead := aheadOf(path, time.Now()) // the check may write
			err := checkDatabase(path)
			switch {
			case errors.Is(err, errDamaged):
				name, reason = "damaged", "is "+err.Error()
			case err == nil && ahead > infra.ClockTolerance:
				name, reason = "of-the-future",
					fmt.Sprintf("was last written %s from now, so the clock has been set back, and its timers "+
						"would wait for so long", ahead.Round(time.Second))
			default:
				return errors.Join(err, restrictAccess(path))
			}
		}
		aside, err := setAside(path, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(notices, "The workflow database %s. It was moved to %s and a new one begun. Answers and tables "+
			"are kept elsewhere and stay.\n", reason, aside)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("infra: workflow database: %w", err)
	}
	if err := writeVersion(dir); err != nil {
		return err
	}
	return createDatabase(path, attributes)
}

// aheadOf returns how far a time is before the last change of the database.
func aheadOf(path string, now time.Time) (ahead time.Duration) {
	for _, suffix := range companions {
		if info, err := os.Stat(path + suffix); err == nil {
			ahead = max(ahead, info.ModTime().Sub(now))
		}
	}
	return ahead
}

// removeDatabase deletes the database of dir, if there is one.
func removeDatabase(dir string) error {
	for _, suffix := range companions {
		if err := os.Remove(databasePath(dir) + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("infra: workflow database: %w", err)
		}
	}
	return nil
}

// restrictAccess closes the database to others; SQLite gives a new -wal and -shm the
// mode of the file they belong to.
func restrictAccess(path string) error {
	for _, suffix := range companions {
		if err := restrictFile(path+suffix, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("infra: workflow database: %w", err)
		}
	}
	return nil
}

// createDatabase builds the file under another name and renames it when it is
// whole, so that a kill in between leaves none rather than half of one.
func createDatabase(path string, attributes []temporal.SearchAttributeKey) error {
	fresh := path + ".new"
	for _, suffix := range companions {
		// A log without its database, too, would be played into the new one.
		for _, left := range []string{fresh + suffix, path + suffix} {
			if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("infra: new workflow database: %w", err)
			}
		}
	}
	if err := os.WriteFile(fresh, nil, 0o600); err != nil {
		return fmt.Errorf("infra: new workflow database: %w", err)
	}
	sql := sqlConfig(fresh, "memory", "0")
	if err := sqlite.SetupSchema(sql); err != nil {
		return fmt.Errorf("infra: new workflow database: schema: %w", err)
	}
	types := map[string]enumspb.IndexedValueType{}
	for _, a := range attributes {
		types[a.GetName()] = a.GetValueType()
	}
	namespace, err := sqlite.NewNamespaceConfig(clusterName, infra.Namespace, false, types)
	if err != nil {
		return fmt.Errorf("infra: new workflow database: namespace: %w", err)
	}
	if err := sqlite.CreateNamespaces(sql, namespace); err != nil {
		return fmt.Errorf("infra: new workflow database: namespace: %w", err)
	}
	if err := syncFile(fresh); err != nil {
		return fmt.Errorf("infra: new workflow database: %w", err)
	}
	return os.Rename(fresh, path)
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// setAside renames the database to temporal.db.old-<version> and says its new path.
func setAside(path, version string) (string, error) {
	aside := path + ".old-" + version
	for n := 2; ; n++ {
		if _, err := os.Stat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.old-%s.%d", path, version, n)
	}
	for _, suffix := range companions {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("infra: setting the old workflow database aside: %w", err)
		}
	}
	return aside, restrictAccess(aside)
}

// readVersion says which server wrote the database: "unknown" if nobody said.
func readVersion(dir string) (string, error) {
	text, err := os.ReadFile(versionPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return "unknown", nil
	}
	if err != nil {
		return "", fmt.Errorf("infra: version of the workflow database: %w", err)
	}
	version := strings.TrimSpace(string(text))
	if strings.Trim(version, "0123456789.") != "" || version == "" {
		return "unknown", nil // it becomes part of a file name
	}
	return version, nil
}

func writeVersion(dir string) error {
	fresh := versionPath(dir) + ".new"
	if err := os.WriteFile(fresh, []byte(Version+"\n"), 0o600); err != nil {
		return fmt.Errorf("infra: version of the workflow database: %w", err)
	}
	return os.Rename(fresh, versionPath(dir))
}

// minorOf cuts "1.32.1" to "1.32": the schema may change from minor to minor.
func minorOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// errDamaged is a workflow database that cannot be read.
var errDamaged = errors.New("damaged")

// checkDatabase returns errDamaged for a file that is not a sound database of the server.
// It reads it through: 50 ms for 44 MB.
func checkDatabase(path string) (err error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?mode=rw")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var verdict string
	if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return damageOf(err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, strings.Join(strings.Fields(verdict), " "))
	}
	var namespaces int
	if err := db.QueryRow("SELECT count(*) FROM namespaces").Scan(&namespaces); err != nil {
		return damageOf(err)
	}
	if namespaces == 0 {
		return fmt.Errorf("%w: it has no namespace", errDamaged)
	}
	return nil
}

// damageOf tells damage from a lock that is held or a disk that is full.
func damageOf(err error) error {
	for _, sign := range []string{"malformed", "not a database", "no such table"} {
		if strings.Contains(err.Error(), sign) {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	return fmt.Errorf("infra: workflow database: %w", err)
}
