package planning

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"roundtable/activities/programs"
	"roundtable/envs"
)

// checkScorer returns an error if the program that scores an environment's decisions
// is not there or not trusted: they would be paid for before that is noticed.
func checkScorer(env envs.Environment, folder string) error {
	scoring, ok := env.(envs.Scoring)
	if !ok || len(scoring.Scorer()) == 0 {
		return nil
	}
	program := scoring.Scorer()[0]
	if filepath.Base(program) != program && !filepath.IsAbs(program) {
		program = filepath.Join(folder, program)
	}
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("env.score: the program %s cannot be started (%w); it is looked for in PATH, or with a slash from the folder of the campaign file", scoring.Scorer()[0], errors.Unwrap(err))
	}
	if err := programs.CheckTrusted(folder, scoring.Scorer()); err != nil {
		return fmt.Errorf("env.score: %w", err)
	}
	return nil
}
