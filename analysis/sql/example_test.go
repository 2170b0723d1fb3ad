//go:build cgo

package sql_test

import (
	"context"
	"fmt"
	"log"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/sql"
)

// A DB answers SELECT statements over the tables of a lake's campaigns.
func ExampleDB_Run() {
	ctx := context.Background()
	folder := "../lake/testdata/schema-1"
	s, err := store.NewLocal(folder)
	if err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open(ctx, sql.Source{Store: s, Location: folder})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	result, err := db.Run(ctx, sql.Statement{Text: "SELECT rule, count(*) AS n FROM collaborations GROUP BY rule ORDER BY rule", Line: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Columns)
	for row, err := range result.Rows {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row...)
	}
	// Output:
	// [rule n]
	// plurality 2
	// ranked 2
}
