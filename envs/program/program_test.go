package program_test

import (
	"testing"

	"roundtable/envs"
	"roundtable/envs/envtest"
	"roundtable/envs/program"
	"roundtable/envs/program/programtest"
)

func well(t testing.TB) envs.Environment {
	t.Helper()
	p := program.Defaults()
	p.Command = []string{"well"}
	e, err := program.New(p, programtest.Asker{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEnvironment(t *testing.T) {
	envtest.Run(t, well(t), envtest.Options{Private: []string{"Background", "View"}})
}

func FuzzParse(f *testing.F) { envtest.Fuzz(f, well(f)) }
