package stopping

import "roundtable/workflows/transcript"

// RoundsOf returns what the methods look at in rounds 1 to upTo. A proposal that stands from an
// earlier round is not an agreement; one selected again is.
func RoundsOf(t *transcript.Transcript, upTo int) []Round {
	rounds := make([]Round, max(upTo, 0))
	for _, e := range t.Entries {
		if e.Round < 1 || e.Round > upTo {
			continue
		}
		r := &rounds[e.Round-1]
		switch {
		case e.Kind == transcript.Decide:
			r.Agreed = r.Agreed || e.Act.Decision != nil && e.Act.Decision.Selected >= 0
			if share, ok := agreementOf(t, e, isAnyone); ok {
				r.Agreement = &share
			}
		case e.Kind == transcript.Ask && e.Payload.Format == transcript.FormatProposal &&
			e.Act.Status == transcript.Said:
			r.Proposals++
		case e.Kind == transcript.Annotate:
			r.addAnnotation(t, e)
		}
	}
	return rounds
}

// addAnnotation adds what an entry says of a round's messages. A label that could not be
// read shows no act.
func (r *Round) addAnnotation(t *transcript.Transcript, e transcript.Entry) {
	switch e.Payload.Format {
	case transcript.FormatActs:
		if r.Acts == nil {
			r.Acts = make([]Acts, t.Agents)
		}
		if shown, ok := ActsOf(e.Act.Tags...); ok && e.Speaker.Index < len(r.Acts) {
			r.Acts[e.Speaker.Index] |= shown
		}
	case transcript.FormatDistance:
		if len(e.Act.Values) == 1 {
			r.Distance = &e.Act.Values[0]
		}
	}
}

// isMessage reports whether an entry is something that an agent said to others.
func isMessage(e transcript.Entry) bool {
	return e.Kind == transcript.Ask && e.Speaker.Role == "" && e.Act.Status == transcript.Said &&
		(e.Payload.Format == transcript.FormatMessage || e.Payload.Format == transcript.FormatText)
}
