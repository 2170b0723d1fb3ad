package providers

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"roundtable/activities/programs"
	"roundtable/envs"
	"roundtable/envs/program"
)

// newProgramPolicy returns a policy that a program plays. It is asked nothing yet, but
// has to be trusted.
func (p Models) newProgramPolicy(given json.RawMessage) (envs.Policy, error) {
	params := struct {
		program.Params
		Folder string `json:"folder"` // of the campaign file; a recorded plan has it
	}{Params: program.Defaults()}
	if err := envs.DecodeStrict(given)(&params); err != nil {
		return nil, fmt.Errorf("policy: %w; expected {command: [program, argument, …], timeout: 30s}", err)
	}
	if params.Folder == "" {
		folder, err := filepath.Abs(p.from.Folder)
		if err != nil {
			return nil, err
		}
		params.Folder = folder
	}
	policy, err := program.NewPolicy(params.Params, p.clientCache.ran.Asking(programs.Of{Folder: params.Folder}))
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if err := programs.CheckTrusted(params.Folder, params.Command); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return policy, nil
}
