package campaignfile_test

import (
	"fmt"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
)

// A campaign file becomes conditions and cells; all that is wrong with one is said at once.
func ExampleParse() {
	host := campaignfile.Host{Catalogue: catalogue.Builtin()}
	file, err := campaignfile.Parse([]byte(`
name: rules
replicates: 10
env: exchange
protocol: {name: roundtable, rounds: 5}
model: scripted/trader
grid: {rule: [majority, ranked]}
`), host)
	if err != nil {
		panic(err)
	}
	for _, c := range file.Campaign.Conditions {
		fmt.Println(c.ID())
	}
	fmt.Println(file.Campaign.Size(), "cells")
	_, err = campaignfile.Parse([]byte("name: rules\nreplicates: none\nenv: exchang\nprotocol: roundtable\nrule: majority\nmodel: trader\n"), host)
	fmt.Println(err)
	// Output:
	// majority-619c791a
	// ranked-8024d126
	// 20 cells
	// line 2: replicates: "none" is not a whole number
	// line 3: env: unknown environment "exchang"; expected exchange, recsys, menu, allocation, qa, consensus, robots, publicgoods or program; did you mean exchange?
}
