package campaigns

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"roundtable/cmd/internal/cli"
)

// CampaignFolder returns where the engine of a campaign keeps its state.
func CampaignFolder(o *cli.Options, name string) string {
	return filepath.Join("campaigns", name+lakeSuffix(o))
}

// LabelsFolder returns where the engine of a labelling keeps its state.
func LabelsFolder(o *cli.Options, campaign, labeller string) string {
	return filepath.Join("labels", campaign+lakeSuffix(o), labeller)
}

// lakeSuffix tells apart campaigns of one name in several lakes; empty for the
// folder lake next to the state folder. Lake and state may move together.
func lakeSuffix(o *cli.Options) string {
	dir, local := o.LocalLake()
	if local {
		state, _ := filepath.Abs(o.State) // without a working directory nothing else works either
		folder, _ := filepath.Abs(dir)
		if rel, err := filepath.Rel(filepath.Dir(state), folder); err == nil {
			dir = filepath.ToSlash(rel)
		}
	}
	if dir == "lake" {
		return ""
	}
	return fmt.Sprintf("@%.4x", sha256.Sum256([]byte(dir)))
}
