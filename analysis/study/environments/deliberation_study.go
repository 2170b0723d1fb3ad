package environments

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

// Deliberation returns the entry of the study of deliberations in the list of studies.
func Deliberation() entry.Study {
	return entry.Study{Title: entry.Deliberations,
		Readers: []campaign.Reader{campaign.Keeping[*Deliberated]("", readDeliberation)}, Tables: []entry.Table{
			{Named: entry.Named{Name: "deliberation-rewards",
				Shows: "deliberations: rewards as shares of the greatest (NR, NAR) and feasible decisions (VR)",
				Needs: "deliberations", Papers: entry.Numbers(3, "table", 2, 5)}, Build: Deliberations,
				Shown: entry.Always},
			{Named: entry.Named{Name: "full-information", Shows: "deliberations: with the full information",
				Needs: "deliberations with the variant oracle", Papers: entry.Numbers(3, "table", 3)},
				Build: oraclesTable},
			{Named: entry.Named{Name: "solver-use", Shows: "deliberations: with a solver as a tool",
				Needs: "deliberations with the tool solver", Papers: entry.Numbers(3, "table", 4)}, Build: toolsTable},
			{Named: entry.Named{Name: "estimate-errors", Shows: "deliberations: errors of estimates of the state",
				Needs: "deliberations", Papers: entry.Numbers(3, "table", 6)}, Build: estimatesTable},
			{Named: entry.Named{Name: "centralized-gap",
				Shows: "deliberations: the gap to the centralized decision, regressed on errors of estimates",
				Needs: "deliberations next to centralized decisions", Papers: entry.Numbers(3, "table", 7)},
				Build: gapsTable},
		}}
}
