package embedded

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // which the server's persistence uses, too
)

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
