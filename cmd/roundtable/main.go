// Command roundtable runs experiments in which groups of LLM agents decide,
// keeps every answer it was given, and leaves Parquet tables to analyse.
package main

import (
	"os"

	"roundtable/cmd/commands"
	"roundtable/workflows/catalogue"
)

func main() { os.Exit(commands.Main(catalogue.Builtin())) }
