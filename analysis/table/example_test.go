package table_test

import (
	"fmt"
	"os"

	"roundtable/analysis/table"
)

// A table is columns over whatever its rows are.
func ExampleFill() {
	type condition struct {
		name         string
		right, asked int
	}
	t := table.Table{Name: "accuracy", Title: "Accuracy by condition"}
	table.Fill(&t, []condition{{"vote", 41, 60}, {"debate", 45, 60}},
		table.Column("protocol", func(c condition) table.Cell { return table.Word(c.name) }),
		table.Column("accuracy, %", func(c condition) table.Cell { return table.PercentOf(c.right, c.asked) }),
		table.Column("n", func(c condition) table.Cell { return table.Count(c.asked) }))
	if err := table.Write(os.Stdout, "csv", []table.Table{t}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// protocol,"accuracy, %",n
	// vote,68.33333333333333,60
	// debate,75,60
}
