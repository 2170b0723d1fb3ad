package transcripts

import (
	"fmt"
	"io"
	"strings"

	"roundtable/analysis/report"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// Write writes the transcript. Nothing that a model wrote can steer the terminal.
func (v Transcript) Write(w io.Writer) error {
	var b strings.Builder
	v.tell(&b)
	_, err := io.WriteString(w, wording.SafeLines(b.String()))
	return err
}

func (v Transcript) tell(b *strings.Builder) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	v.tellHead(line)
	for _, round := range v.story.Rounds {
		if !v.showsRound(round) {
			continue
		}
		line("\n=== Round %d ===", round.Number)
		for _, phase := range round.Phases {
			v.tellPhase(line, phase)
		}
		if v.showsAll() {
			line("\n  %s", round.Standing)
		}
	}
	if v.showsAll() {
		line("\n%s", v.story.End)
	}
}

func (v Transcript) tellHead(line func(string, ...any)) {
	c := v.story.Collaboration
	line("%s/%s: %s", c.CampaignID, c.CollaborationID, c.Status)
	if c.Generation > 0 {
		line("Generation %d: it was run again.", c.Generation)
	}
	if c.Failure != nil {
		line("It did not succeed: %s", *c.Failure)
	}
	if c.Simulated {
		line("%s.", table.Simulated)
	}
	for _, sentence := range v.story.About {
		line("%s", sentence)
	}
	for _, f := range v.story.Facts {
		if strings.Contains(f.Text, "\n") {
			line("%s:\n    %s", f.Name, strings.ReplaceAll(f.Text, "\n", "\n    "))
		} else {
			line("%s: %s", f.Name, f.Text)
		}
	}
	for _, lost := range v.Lost {
		line("[%s]", lost)
	}
}

func (v Transcript) tellPhase(line func(string, ...any), phase report.Phase) {
	shown := false
	for _, turn := range phase.Turns {
		shown = shown || v.showsEntry(turn.Entry)
	}
	if !shown {
		return
	}
	line("\n-- %s --", phase.Name)
	for _, c := range phase.Candidates {
		line("  Candidate %d (%s): %s", c.Number, c.From, c.Proposal)
	}
	for _, turn := range phase.Turns {
		if v.showsEntry(turn.Entry) {
			v.tellTurn(line, turn)
			v.tellAsked(line, turn.Entry)
		}
	}
}

func (v Transcript) tellTurn(line func(string, ...any), turn report.Turn) {
	line("  %s%s", turn.Who, turn.Does)
	quote := func(mark, text string) {
		if text != "" {
			line("      %s%s", mark, strings.ReplaceAll(text, "\n", "\n      "))
		}
	}
	quote("", turn.Proposal)
	if turn.Again != "" {
		line("      [%s]", turn.Again)
	}
	quote("", turn.Text)
	quote("(private) ", turn.Reason)
	if v.Thinking {
		quote("(thinking) ", turn.Thinking)
	}
}

// tellAsked tells how a model was asked, and what it answered.
func (v Transcript) tellAsked(line func(string, ...any), entry int32) {
	for _, a := range v.Asked {
		if a.Entry != int(entry) {
			continue
		}
		for _, m := range a.Prompt {
			line("      --- prompt of entry %d, %s\n%s", a.Entry, m.Role, strings.TrimRight(m.Content, "\n"))
		}
		if a.Matches != nil && !*a.Matches {
			line("      --- this is NOT the prompt that was sent: its hash is not the recorded %s", a.PromptHash)
		}
		for _, answer := range a.Answers {
			line("      --- answer %d of entry %d, as received%s\n%s", answer.Ask+1, a.Entry, answer.sourceText(),
				strings.TrimRight(answer.Raw, "\n"))
			if answer.Fault != "" {
				line("      --- it cannot be used: %s", answer.Fault)
			}
		}
	}
}
