package stopping

import "roundtable/workflows/transcript"

// ConsecutiveAgreements stops at the first round without a new proposal that
// follows a round in which one was selected (paper 1, appendix D.7). A turn
// that was skipped or invalid makes no proposal; one that repeats an earlier
// proposal does.
type ConsecutiveAgreements struct{}

// Stop reports whether round is such a round; never round 1.
func (ConsecutiveAgreements) Stop(t *transcript.Transcript, round int) bool {
	return Fitted{Method: MethodConsecutive}.StopsAt(RoundsOf(t, round), round)
}
