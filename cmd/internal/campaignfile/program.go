package campaignfile

import (
	"fmt"
	"path/filepath"

	"roundtable/activities/programs"
	"roundtable/analysis/storage"
	"roundtable/envs"
	"roundtable/envs/conformance"
	"roundtable/envs/program"
	"roundtable/workflows/plan"
)

// askProgram returns what asks the program of a condition's environment.
type askProgram func(campaign string, c plan.Condition) program.Asker

// askPrograms returns how the programs of a campaign file are asked: what its campaign
// has recorded stands, and for the rest two processes have to agree.
func askPrograms(s storage.Store, folder string) (askProgram, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	ran := programs.New(s)
	return func(campaign string, c plan.Condition) program.Asker {
		return ran.Checking(programs.Of{Campaign: campaign, Folder: folder, Replayed: c.Replayed()})
	}, nil
}

// checkProgram returns what a short look finds wrong with an environment that is a
// program: nothing of the campaign is paid for yet.
func checkProgram(env envs.Environment) error {
	if _, ok := env.(*program.Environment); !ok {
		return nil
	}
	if err := conformance.Sample(env); err != nil {
		return fmt.Errorf("env: %w\n(roundtable check-env finds everything that is wrong with a program)", err)
	}
	return nil
}
