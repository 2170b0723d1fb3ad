package report

import "testing"

// Texts and JSON of a stranger's rows make a transcript, whatever they are; who prints it makes it safe.
func FuzzTell(f *testing.F) {
	for _, s := range []string{"", "[]", "[[0,1]]", `{"ballot":{"choice":3}}`, `{"ballot":{"order":[9,-1]}}`, `{"addressees":[7]}`, "\x1b[31m", "[-1]", "[[5,1],[0,99999999]]", "null"} {
		f.Add(s, "ask", "vote", int32(2))
	}
	f.Fuzz(func(t *testing.T, text, kind, phase string, n int32) {
		r := rows()
		for i := range r.Turns {
			turn := &r.Turns[i]
			turn.DataJSON, turn.SeesJSON, turn.ProposalJSON, turn.Text = &text, text, &text, &text
			turn.Kind, turn.Phase, turn.Round = kind, phase, turn.Round+n%2
			turn.Agent, turn.AgentName = &n, text
		}
		for i := range r.Ballots {
			r.Ballots[i].Agent = n
		}
		for i := range r.Rounds {
			r.Rounds[i].DecisionKey, r.Rounds[i].Utilities = &text, []float64{float64(n)}
		}
		Tell(r)
	})
}
