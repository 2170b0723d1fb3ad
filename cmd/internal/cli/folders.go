package cli

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
)

// CampaignFolder returns where the engine of a campaign keeps its state.
func (o *Options) CampaignFolder(name string) string {
	return filepath.Join("campaigns", name+o.lakeSuffix())
}

// withPaths returns the lake with where this machine has the files of its campaigns.
func (o *Options) withPaths(s store.Store) store.Store {
	return campaign.WithPaths(s, func(name string) string { return filepath.Join(o.State, o.CampaignFolder(name), "paths.json") })
}

// LabelsFolder returns where the engine of a labelling keeps its state.
func (o *Options) LabelsFolder(campaign, labeller string) string {
	return filepath.Join("labels", campaign+o.lakeSuffix(), labeller)
}

// lakeSuffix tells apart campaigns of one name in several lakes; empty for the
// folder lake next to the state folder. Lake and state may move together.
func (o *Options) lakeSuffix() string {
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
