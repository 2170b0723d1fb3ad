package predictions

import "roundtable/workflows/transcript"

// Length is how long the words of a real model are in answers of a format, in
// bytes: what it gives as reasons next to the structure that the format asks for.
type Length struct {
	Bytes  int
	Of     int // answers that were measured
	Source string
}

// Lengths of answers, from recorded runs of real models where there are any.
const (
	replies  = "answers printed in the appendix of Kaesberg et al. (2025), by Llama 3 70B: 27 of about 540 bytes"
	worked   = "worked solutions of MATH-500 (Hendrycks et al., 2021), written by people: mean 531 bytes, a tenth above 1,041"
	personas = "persona descriptions by Llama 3.3 70B, recorded in mallm-demo (commit 8e88e95): mean 521 bytes, a tenth above 1,304"
)

// lengthOf returns how long real models' words are in answers of a format.
// There is no recorded run of the JSON formats: a reason that was asked for
// step by step is taken for as long as a reply.
func lengthOf(f transcript.Format) Length {
	switch f {
	case transcript.FormatPersona:
		return Length{521, 402, personas}
	case transcript.FormatAnswer:
		return Length{531, 500, worked}
	case transcript.FormatText, transcript.FormatReply, transcript.FormatMessage,
		transcript.FormatProposal, transcript.FormatBallot, transcript.FormatEstimate:
		return Length{540, 27, replies}
	}
	return Length{} // labels, for example, have no words next to their structure
}

// isShown reports whether all words of a format are shown to others; of the
// JSON formats but messages the reasons are private.
func isShown(f transcript.Format) bool { return f.IsText() || f == transcript.FormatMessage }
