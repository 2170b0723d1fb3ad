package stopping

import "roundtable/workflows/transcript"

// FirstAgreement stops at the first round in which a proposal is selected
// (paper 1, appendix D.7).
type FirstAgreement struct{}

// Stop reports whether a proposal was selected in the round.
func (FirstAgreement) Stop(t *transcript.Transcript, round int) bool {
	return Fitted{Method: MethodFirst}.StopsAt(RoundsOf(t, round), round)
}
