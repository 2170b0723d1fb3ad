//go:build cgo

package sql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"roundtable/analysis/lake/record"
)

// DB is a database in memory with a view for each table of a lake. It answers
// one statement at a time: SELECT in all its forms, EXPLAIN of it, and CREATE
// and DROP of what lasts as long as the DB. Other statements are refused by
// their kind, files next to the lake's by DuckDB's settings, which are locked.
// What does not fit in memory goes to a private folder, which Close removes.
type DB struct {
	conn      *duckdb.Conn
	connector *duckdb.Connector
	files     files
	scratch   string
}

// Open lists the committed files of the campaigns, copies those that are not
// on this machine, and makes the views. An error names files that are missing
// or of another size than they should be.
func Open(ctx context.Context, s Source) (*DB, error) {
	f, err := s.readFiles(ctx)
	if err != nil {
		return nil, err
	}
	db := &DB{files: f}
	err = db.openDuckDB(ctx)
	if err == nil {
		err = db.addFunctions(ctx, s.Functions)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

func (db *DB) openDuckDB(ctx context.Context) (err error) {
	if db.scratch, err = os.MkdirTemp("", "roundtable-sql-"); err != nil {
		return err
	}
	if err := os.Mkdir(db.tempFolder(), 0o700); err != nil {
		return err
	}
	if strings.ContainsAny(db.files.folder, "*?[") { // which read_parquet would take for patterns
		link := filepath.Join(db.scratch, "lake")
		if err := os.Symlink(db.files.folder, link); err != nil {
			return err
		}
		db.files.folder = link
	}
	if db.connector, err = duckdb.NewConnector("", nil); err != nil {
		return err
	}
	conn, err := db.connector.Connect(ctx)
	if err != nil {
		return err
	}
	db.conn = conn.(*duckdb.Conn)
	setup, err := db.setUpViews()
	if err != nil {
		return err
	}
	for _, statement := range setup {
		if _, err := db.conn.ExecContext(ctx, statement, nil); err != nil {
			return db.explainError(ctx, err)
		}
	}
	return nil
}

// setUpViews makes the views and then closes everything else.
func (db *DB) setUpViews() ([]string, error) {
	setup := []string{"SET TimeZone = 'UTC'", "SET parquet_metadata_cache = true", "SET temp_directory = " + quoteLiteral(db.tempFolder())}
	tables, err := record.AllSchema()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, t := range tables {
		var own []string
		for _, f := range db.files.tables[t.Name] {
			own = append(own, filepath.Join(db.files.folder, f.place))
		}
		paths = append(paths, own...)
		v, err := db.files.defineView(t, own)
		if err != nil {
			return nil, err
		}
		setup = append(setup, v)
	}
	return append(setup,
		"SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false", "SET allow_community_extensions = false",
		"SET allow_persistent_secrets = false",
		fmt.Sprintf("SET allowed_paths = %s", listLiteral(paths)),
		"SET enable_external_access = false", "SET lock_configuration = true",
	), nil
}

// Close lets go of the database and removes its private folder.
func (db *DB) Close() error {
	if db.conn != nil {
		_ = db.conn.Close()
	}
	if db.connector != nil {
		_ = db.connector.Close()
	}
	return os.RemoveAll(db.scratch)
}

// tempFolder returns the only folder besides the lake that DuckDB may use.
func (db *DB) tempFolder() string { return filepath.Join(db.scratch, "temp") }
