package deliberation

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/naming"
	"roundtable/analysis/study/entry"
)

// Study returns what the list of studies has of this one.
func Study() entry.Study {
	return entry.Study{Title: entry.Deliberations, Readers: []campaign.Reader{Read}, Tables: []entry.Table{
		{Named: naming.Named{Name: "deliberation-rewards", Shows: "deliberations: rewards as shares of the greatest (NR, NAR) and feasible decisions (VR)",
			Needs: "deliberations", Papers: naming.Numbers(3, "table", 2, 5)}, Build: Deliberations, Shown: entry.Always},
		{Named: naming.Named{Name: "full-information", Shows: "deliberations: with the full information",
			Needs: "deliberations with the variant oracle", Papers: naming.Numbers(3, "table", 3)}, Build: Oracles},
		{Named: naming.Named{Name: "solver-use", Shows: "deliberations: with a solver as a tool",
			Needs: "deliberations with the tool solver", Papers: naming.Numbers(3, "table", 4)}, Build: Tools},
		{Named: naming.Named{Name: "estimate-errors", Shows: "deliberations: errors of estimates of the state",
			Needs: "deliberations", Papers: naming.Numbers(3, "table", 6)}, Build: Estimates},
		{Named: naming.Named{Name: "centralized-gap", Shows: "deliberations: the gap to the centralized decision, regressed on errors of estimates",
			Needs: "deliberations next to centralized decisions", Papers: naming.Numbers(3, "table", 7)}, Build: Gaps},
	}}
}
