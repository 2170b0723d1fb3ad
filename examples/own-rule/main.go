// Command own-rule is roundtable with one more decision rule.
package main

import (
	"os"

	"roundtable/cmd/commands"
	"roundtable/workflows/catalogue"

	"example.com/own-rule/quorum"
)

func main() { os.Exit(commands.Main(catalogue.Builtin().WithRules(quorum.Plugin()))) }
