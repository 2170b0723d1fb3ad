//go:build cgo

package sql

import (
	"context"

	"github.com/duckdb/duckdb-go/v2"
)

// engine is the DuckDB that is linked into the program.
type engine struct {
	conn      *duckdb.Conn
	connector *duckdb.Connector
}

func (e *engine) start(ctx context.Context, _ Source, _ string) (err error) {
	if e.connector, err = duckdb.NewConnector("", nil); err != nil {
		return err
	}
	conn, err := e.connector.Connect(ctx)
	if err == nil {
		e.conn = conn.(*duckdb.Conn)
	}
	return err
}

func (e *engine) exec(ctx context.Context, statement string) error {
	_, err := e.conn.ExecContext(ctx, statement, nil)
	return err
}

func (e *engine) stop() {
	if e.conn != nil {
		_ = e.conn.Close()
	}
	if e.connector != nil {
		_ = e.connector.Close()
	}
}

func (*engine) lock() []string { return lockSettings }
