package telling

import (
	"encoding/json"
	"fmt"
	"strings"

	"roundtable/analysis/record"
	"roundtable/workflows/transcript"
)

func (t *telling) turn(row record.Turn) Turn {
	turn := Turn{Entry: row.Entry, Who: row.AgentName, Sees: seen(row)}
	if row.Kind == "decide" {
		turn.Who, turn.Does, turn.Decided = "Decision", ": "+outcome(row), true
		return turn
	}
	if row.Kind == "env" && row.Format != string(transcript.FormatAnswer) && row.ProposalJSON != nil && row.Role == "" { // it moved the agent
		turn.Does = " is at " + *row.ProposalJSON
		return turn
	}
	if row.Role != "" {
		turn.Who += " (" + row.Role + ")"
	}
	turn.Invalid = row.Status == string(transcript.Invalid)
	turn.Does = t.does(row)
	if row.Asks > 1 && !turn.Invalid {
		turn.Again = "asked again " + times(row.Asks-1, "time")
	}
	if row.Format == string(transcript.FormatProposal) && row.Status == string(transcript.Said) {
		turn.Proposal = said(row.ProposalJSON)
	}
	if row.ProposalJSON == nil || row.Text != nil && *row.Text != *row.ProposalJSON {
		turn.Text = said(row.Text)
	}
	turn.Reason = said(row.Reason)
	if row.Kind == "env" && turn.Text == "" { // what it gives is no speech
		turn.Does = " gives nothing"
		if row.ProposalJSON != nil {
			turn.Does = " gives " + said(row.ProposalJSON)
		}
	}
	return turn
}

func (t *telling) does(row record.Turn) string {
	switch {
	case row.Status == string(transcript.Invalid):
		reason := "no usable answer"
		if row.InvalidReason != nil {
			reason = *row.InvalidReason
		}
		return fmt.Sprintf(": INVALID after %s, counts as an abstention: %s", times(row.Asks, "answer"), reason)
	case row.Status == string(transcript.Abstained):
		return " abstains"
	case row.Status == string(transcript.Skipped):
		return " makes no new proposal" + worth(row)
	case row.Format == string(transcript.FormatProposal):
		return " proposes" + worth(row)
	case row.Format == string(transcript.FormatBallot):
		return ": " + ballot(row, t.approves(row.Entry))
	case row.Format == string(transcript.FormatMessage):
		if to := listed(row.AddresseesJSON); len(to) > 0 {
			return " to " + t.called(to) + ":"
		}
		return " to everybody:"
	}
	return ":"
}

func worth(row record.Turn) string {
	var parts []string
	if row.ProposalUtility != nil {
		parts = append(parts, fmt.Sprintf("worth %.4g to %s", *row.ProposalUtility, row.AgentName))
	}
	if row.StandingUtility != nil {
		parts = append(parts, fmt.Sprintf("what stands is worth %.4g", *row.StandingUtility))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// said is a text with plain ends of lines.
func said(s *string) string {
	if s == nil {
		return ""
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimSpace(*s))
}

// seen are the earlier entries that the speaker was shown, in order; none if
// that cannot be read.
func seen(row record.Turn) []transcript.Range {
	var pairs [][2]int
	if json.Unmarshal([]byte(row.SeesJSON), &pairs) != nil {
		return nil
	}
	var ranges []transcript.Range
	for _, p := range pairs {
		ranges = append(ranges, transcript.Range{From: p[0], To: p[1]})
	}
	return ranges
}

// act is what the engine made of an entry; the zero act if it cannot be read.
func act(row record.Turn) transcript.Act {
	var a transcript.Act
	if row.DataJSON != nil {
		_ = json.Unmarshal([]byte(*row.DataJSON), &a)
	}
	return a
}

func times(n int32, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
