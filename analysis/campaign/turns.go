package campaign

import "roundtable/analysis/record"

// IsRight is 1 if a turn's answer is right, else 0.
func IsRight(t record.Turn) float64 {
	if t.ProposalUtility != nil && *t.ProposalUtility >= 1 {
		return 1
	}
	return 0
}
