package qa_test

import (
	"fmt"
	"testing/fstest"

	"roundtable/envs/qa"
	"roundtable/envs/qa/records"
)

// Questions of one's own: a CSV file, the columns by what they hold.
func ExampleNew() {
	files := fstest.MapFS{"tickets.csv": {Data: []byte("ticket,team\nThe invoice is wrong.,billing\nI cannot log in.,support\n")}}
	p := qa.Defaults()
	p.Format, p.File, p.Choices = "csv", "tickets.csv", []string{"billing", "support"}
	p.Columns = records.Columns{Question: "ticket", Answer: records.Names{"team"}}
	env, err := qa.New(p, files)
	if err != nil {
		panic(err)
	}
	instance, err := env.Instance(1, 1)
	if err != nil {
		panic(err)
	}
	proposal, err := instance.Parse([]byte(`"B"`))
	fmt.Println(env.Instances(), "questions;", instance.ID(), proposal, instance.Score(proposal).Value, err)
	// Output:
	// 2 questions; tickets-1 "(B)" 1 <nil>
}
