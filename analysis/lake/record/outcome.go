package record

// What an outcome is worth in an average is decided here and nowhere else:
// tables, figures, comparisons, SQL and files read it. docs/reference/schema.md has the
// same in words.

// What the score of an environment measures (Collaboration.Measure).
const (
	Share = "share" // of the best possible, from 0 to 1: accuracy, F1, share of the greatest total utility or reward
	Error = "error" // minus an error: of a rating, or the distance from a place
	// Scored is a share that a program gives to final decisions; one that was never
	// made has 0, and rounds have none.
	Scored = "scored"
)

// Succeeded is the status of collaborations that are averaged. Those that
// failed or were stopped are counted.
const Succeeded = "succeeded"

// Stopped is the status of collaborations that the campaign's end by cancel, or by an
// answered question, has ended.
const Stopped = "stopped"

// Imported is the protocol of collaborations that another program recorded: what they took is not known.
const Imported = "imported"

// Unfinished is the status of collaborations that have begun and not ended. Their rows are
// made anew from the stored answers whenever somebody looks, and are in no file.
const Unfinished = "unfinished"

// Answered is the failure of collaborations that were stopped before they began because
// the campaign's question was answered without them.
const Answered = "answered"

// Worth returns what a score of this collaboration, at its end or at the end
// of a round, counts as in an average. A score of nil, which is that of no
// decision, counts as 0 if it is a share, and is left out (nil) if it is an
// error. Of a collaboration that failed or was stopped everything is left out.
func (c Collaboration) Worth(score *float64) *float64 {
	switch {
	case c.Status != Succeeded:
		return nil
	case score == nil && c.Measure == Share:
		return new(float64)
	}
	return score
}
