package planning

import (
	"fmt"
	"path/filepath"

	"roundtable/activities/programs"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/envs/conformance"
	"roundtable/envs/program"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// filePrograms asks the programs of a campaign file: what its campaign has recorded
// stands, and for the rest two processes have to agree. Nothing is recorded.
type filePrograms struct {
	ran    *programs.Programs
	folder string
}

func newFilePrograms(s store.Store, folder string) (*filePrograms, error) {
	folder, err := filepath.Abs(folder)
	return &filePrograms{programs.New(s), folder}, err
}

func (p *filePrograms) programsOf(campaign string, c plan.Condition) programs.Of {
	return programs.Of{Campaign: campaign, Folder: p.folder, Replayed: c.Replayed()}
}

// ask returns what asks the program of a condition's environment.
func (p *filePrograms) ask(campaign string, c plan.Condition) program.Asker {
	return p.ran.Checking(p.programsOf(campaign, c))
}

// check returns what a short look finds wrong with an environment that is a program:
// nothing of the campaign is paid for yet. One whose answers are recorded was looked at
// before, and may be gone.
func (p *filePrograms) check(plugins catalogue.Catalogue, campaign string, c plan.Condition,
	env envs.Environment) error {
	if _, ok := env.(*program.Environment); !ok || p == nil {
		return nil
	}
	if _, err := c.BuildEnv(plugins, catalogue.Needs{Programs: p.ran.Recorded(p.programsOf(campaign, c))}); err == nil {
		return nil
	}
	if err := conformance.Sample(env); err != nil {
		return fmt.Errorf("env: %w\n(roundtable check-env finds everything that is wrong with a program)", err)
	}
	return nil
}
