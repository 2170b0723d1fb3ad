package sql

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"roundtable/analysis/lake/record"
)

// DB is a database in memory with a view for each table of a lake. It answers
// one statement at a time: SELECT in all its forms, EXPLAIN of it, and CREATE
// and DROP of what lasts as long as the DB. Other statements are refused by
// their kind, files next to the lake's by DuckDB's settings, which are locked.
// What does not fit in memory goes to a private folder, which Close removes.
type DB struct {
	engine
	files   files
	scratch string
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
	if err = db.makeScratch(); err == nil {
		err = db.openDuckDB(ctx, s)
	}
	if err == nil {
		err = db.addFunctions(ctx, s.Functions)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// makeScratch makes the private folder.
func (db *DB) makeScratch() (err error) {
	if db.scratch, err = os.MkdirTemp("", "roundtable-sql-"); err != nil {
		return err
	}
	if err := os.Mkdir(db.tempFolder(), 0o700); err != nil {
		return err
	}
	// read_parquet would take these for patterns, and refuses paths that are not UTF-8
	if strings.ContainsAny(db.files.folder, "*?[") || !utf8.ValidString(db.files.folder) {
		link := filepath.Join(db.scratch, "lake")
		if err := os.Symlink(db.files.folder, link); err != nil {
			return err
		}
		db.files.folder = link
	}
	return nil
}

// openDuckDB starts DuckDB and makes the views.
func (db *DB) openDuckDB(ctx context.Context, s Source) error {
	if err := db.start(ctx, s, db.scratch); err != nil {
		return err
	}
	setup, err := db.setUpViews()
	if err != nil {
		return err
	}
	for _, statement := range setup {
		if err := db.exec(ctx, statement); err != nil {
			return db.explainError(ctx, err)
		}
	}
	return nil
}

// setUpViews makes the views and then closes everything else.
func (db *DB) setUpViews() ([]string, error) {
	setup := []string{"SET TimeZone = 'UTC'", "SET parquet_metadata_cache = true",
		"SET temp_directory = " + quoteLiteral(db.tempFolder())}
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
	setup = append(setup,
		"SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET allow_persistent_secrets = false",
		fmt.Sprintf("SET allowed_paths = %s", listLiteral(paths)),
	)
	return append(setup, db.lock()...), nil
}

// lockSettings are the last that are set.
var lockSettings = []string{"SET enable_external_access = false", "SET lock_configuration = true"}

// Close closes the database and removes its private folder.
func (db *DB) Close() error {
	db.stop()
	return os.RemoveAll(db.scratch)
}

// tempFolder returns the only folder besides the lake that DuckDB may use.
func (db *DB) tempFolder() string { return filepath.Join(db.scratch, "temp") }

// Parquet writes the result of a SELECT as a Parquet file, and returns the number of rows.
func (db *DB) Parquet(ctx context.Context, s Statement, w io.Writer) (rows int64, err error) {
	if err := db.prepareSelect(ctx, s); err != nil {
		return 0, err
	}
	path := filepath.Join(db.tempFolder(), "result.parquet")
	defer os.Remove(path)
	if err := db.exec(ctx, fmt.Sprintf("COPY (%s\n) TO %s (FORMAT parquet, COMPRESSION zstd)", s.asSubquery(),
		quoteLiteral(path))); err != nil {
		return 0, db.explainError(ctx, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := io.Copy(w, f); err != nil {
		return 0, err
	}
	return db.countRows(ctx, path)
}

// selectRowCount returns the statement that says how many rows a Parquet file has.
func selectRowCount(path string) string {
	return "SELECT num_rows FROM parquet_file_metadata(" + quoteLiteral(path) + ")"
}
