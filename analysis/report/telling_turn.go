package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/transcript"
)

func (t *telling) newTurn(row record.Turn) Turn {
	turn := Turn{Entry: row.Entry, Who: row.AgentName, Sees: seenEntries(row), Asked: row.Kind == "ask" && row.Asks > 0}
	if row.Kind == "decide" {
		turn.Who, turn.Does, turn.Decided = "Decision", ": "+countText(row), true
		if d := actOf(row).Decision; d != nil {
			turn.Choice, turn.Tied = int32(d.Selected+1), len(d.Winners) > 1
		}
		return turn
	}
	// it moved the agent
	if row.Kind == "env" && row.Format != string(transcript.FormatAnswer) && row.ProposalJSON != nil && row.Role == "" {
		turn.Does = " is at " + *row.ProposalJSON
		return turn
	}
	if row.Kind == "annotate" {
		return t.addAnnotation(turn, row)
	}
	if row.Role != "" {
		turn.Who += " (" + row.Role + ")"
	} else if row.Agent != nil {
		turn.Who = t.names.nameOf(*row.Agent)
		if also := t.also[*row.Agent]; also != "" {
			turn.Who += " (" + also + ")"
		}
	}
	turn.Invalid = row.Status == string(transcript.Invalid)
	turn.Does = t.actText(row)
	if row.Format == string(transcript.FormatBallot) {
		turn.Choice = choiceOf(row)
	}
	if row.Asks > 1 && !turn.Invalid {
		turn.Again = "asked again " + timesText(row.Asks-1, "time")
	}
	if row.Format == string(transcript.FormatProposal) && row.Status == string(transcript.Said) {
		turn.Proposal = plainLines(row.ProposalJSON)
	}
	if row.ProposalJSON == nil || row.Text != nil && *row.Text != *row.ProposalJSON {
		turn.Text = plainLines(row.Text)
	}
	turn.Reason, turn.Thinking = plainLines(row.Reason), plainLines(row.Thinking)
	if row.Kind == "env" && turn.Text == "" { // what it gives is not speech
		turn.Does = " gives nothing"
		if row.ProposalJSON != nil {
			turn.Does = " gives " + plainLines(row.ProposalJSON)
		}
	}
	return turn
}

// addAnnotation tells what was labelled or measured for the stopping rule.
func (t *telling) addAnnotation(turn Turn, row record.Turn) Turn {
	turn.Who, turn.Does, turn.Invalid = "Distance from the round before", ": not defined",
		row.Status == string(transcript.Invalid)
	var acts []string
	switch {
	case row.Format == string(transcript.FormatActs):
		turn.Who, turn.Does = "A message", ": no label"
		if last := len(turn.Sees) - 1; last >= 0 {
			if i := slices.IndexFunc(t.Turns,
				func(said record.Turn) bool { return int(said.Entry) == turn.Sees[last].To-1 }); i >= 0 {
				turn.Who = "The message of " + t.Turns[i].AgentName
			}
		}
		if row.Text != nil && json.Unmarshal([]byte(*row.Text), &acts) == nil {
			turn.Does = ": " + strings.Join(acts, ", ")
		}
	case row.Text != nil:
		turn.Does = ": " + plainLines(row.Text)
	}
	if turn.Invalid {
		turn.Does = t.actText(row)
	}
	return turn
}

func (t *telling) actText(row record.Turn) string {
	switch {
	case row.Status == string(transcript.Invalid):
		reason := "no usable answer"
		if row.InvalidReason != nil {
			reason = *row.InvalidReason
		}
		return fmt.Sprintf(": INVALID after %s, counts as an abstention: %s", timesText(row.Asks, "answer"), reason)
	case row.Status == string(transcript.Abstained):
		return " abstains"
	case row.Status == string(transcript.Skipped) && row.Asks == 0 && row.Kind == transcript.Ask.String():
		return " is left out"
	case row.Status == string(transcript.Skipped):
		return " makes no new proposal" + worthText(row)
	case row.Format == string(transcript.FormatProposal):
		return " proposes" + worthText(row)
	case row.Format == string(transcript.FormatBallot):
		return ": " + ballotText(row, t.approvesAll(row.Entry))
	case row.Format == string(transcript.FormatMessage):
		if to := parseAgents(row.AddresseesJSON); len(to) > 0 {
			return " to " + t.agentNames(to) + ":"
		}
		return " to everybody:"
	}
	return ":"
}

func worthText(row record.Turn) string {
	var parts []string
	if row.ProposalUtility != nil {
		parts = append(parts, fmt.Sprintf("worth %.4g to %s", roundForPeople(*row.ProposalUtility), row.AgentName))
	}
	if row.StandingUtility != nil {
		parts = append(parts, fmt.Sprintf("what stands is worth %.4g", roundForPeople(*row.StandingUtility)))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// plainLines returns a text with plain ends of lines.
func plainLines(s *string) string {
	if s == nil {
		return ""
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimSpace(*s))
}

// seenEntries returns the earlier entries that the speaker was shown, in order; none if
// that cannot be read.
func seenEntries(row record.Turn) []transcript.Range {
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

// actOf returns what the engine made of an entry; the zero act if it cannot be read.
func actOf(row record.Turn) transcript.Act {
	var a transcript.Act
	if row.DataJSON != nil {
		_ = json.Unmarshal([]byte(*row.DataJSON), &a)
	}
	return a
}

func timesText(n int32, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
