//go:build cgo

package sql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// functionTypes are the library's for the words of record.Column.
var functionTypes = map[string]duckdb.Type{
	"string": duckdb.TYPE_VARCHAR, "int32": duckdb.TYPE_INTEGER, "int64": duckdb.TYPE_BIGINT,
	"double":  duckdb.TYPE_DOUBLE,
	"boolean": duckdb.TYPE_BOOLEAN, "timestamp (µs, UTC)": duckdb.TYPE_TIMESTAMP_TZ,
}

func functionType(of string) (duckdb.TypeInfo, error) {
	element, isList := strings.CutPrefix(of, "list of ")
	t, err := duckdb.NewTypeInfo(functionTypes[element])
	if err != nil || !isList {
		return t, err
	}
	return duckdb.NewListInfo(t)
}

// borrowed hides a connector's Close, which closing a pool would call.
type borrowed struct{ driver.Connector }

// addFunctions makes functions known to the database.
func (db *DB) addFunctions(ctx context.Context, all []Function) error {
	pool := sql.OpenDB(borrowed{db.connector}) // the library registers with such a connection only
	defer pool.Close()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		return err
	}
	for _, f := range all {
		var columns []duckdb.ColumnInfo
		for _, c := range f.Columns {
			t, err := functionType(c.Type)
			if err != nil {
				return err
			}
			columns = append(columns, duckdb.ColumnInfo{Name: c.Name, T: t})
		}
		err := duckdb.RegisterTableUDF(conn, f.Name, duckdb.ChunkTableFunction{
			Config: duckdb.TableFunctionConfig{Arguments: []duckdb.TypeInfo{text}},
			BindArguments: func(_ map[string]any, args ...any) (duckdb.ChunkTableSource, error) {
				argument, _ := args[0].(string)
				return &computed{columns, f.Open(argument)}, nil
			},
		})
		if err == nil && f.Table != "" {
			_, err = db.conn.ExecContext(ctx, f.defineView(db.files.campaigns), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// computed are the rows of a function on their way to DuckDB.
type computed struct {
	columns []duckdb.ColumnInfo
	next    func() ([]any, error)
}

func (c *computed) ColumnInfos() []duckdb.ColumnInfo { return c.columns }

func (c *computed) Cardinality() *duckdb.CardinalityInfo { return nil }

func (c *computed) Init() {}

func (c *computed) FillChunk(chunk duckdb.DataChunk) error {
	n := 0
	for ; n < duckdb.GetDataChunkCapacity(); n++ {
		values, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		for i := 0; i < len(values) && err == nil; i++ {
			err = chunk.SetValue(i, n, values[i])
		}
		if err != nil {
			return err
		}
	}
	return chunk.SetSize(n)
}
