package scripted

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"roundtable/activities/model"
	"roundtable/workflows/transcript"
)

// A spoiler turns a good answer into a malformed one.
type spoiler func(rng *rand.Rand, s model.Scene, good []byte) []byte

// spoilOneWay returns a spoiler that draws one of the ways in which models break a
// JSON format: cut short, prose, and the three that depend on the format: a value of
// the wrong type, an agent or item that is not there, and what cannot be given.
func spoilOneWay(wrongType, unknown, impossible spoiler) spoiler {
	ways := []spoiler{cutShort, sayProse, wrongType, unknown, impossible}
	return func(rng *rand.Rand, s model.Scene, good []byte) []byte {
		return ways[rng.IntN(len(ways))](rng, s, good)
	}
}

// sayInstead returns a spoiler that answers with a fixed text.
func sayInstead(text string) spoiler {
	return func(*rand.Rand, model.Scene, []byte) []byte { return []byte(text) }
}

// sayNothing answers nothing, which is the only way to spoil a free text.
func sayNothing(*rand.Rand, model.Scene, []byte) []byte { return nil }

// cutShort ends somewhere before the closing brace and the character before it, as a
// reached token limit does: a brace alone is found missing and repaired.
func cutShort(rng *rand.Rand, _ model.Scene, good []byte) []byte {
	return good[:min(1+rng.IntN(len(good)-1), len(good)-2)]
}

func sayProse(rng *rand.Rand, _ model.Scene, _ []byte) []byte {
	texts := []string{
		"I think we are close. Let us go on talking about it.",
		"Sure! My decision is the first one, because it is fair to everybody.",
		"As one of the participants I would rather not answer in that form.",
	}
	return []byte(texts[rng.IntN(len(texts))])
}

// unknownCandidate votes for a candidate that is not there.
func unknownCandidate(_ *rand.Rand, s model.Scene, _ []byte) []byte {
	return ballotOf(s, s.Ballot.N+7, 1)
}

// negativeBallot gives negative points, or names a negative candidate.
func negativeBallot(_ *rand.Rand, s model.Scene, _ []byte) []byte {
	if s.Ballot.Kind == transcript.Rate || s.Ballot.Kind == transcript.Distribute {
		return ballotOf(s, 1, -3)
	}
	return ballotOf(s, -1, 1)
}

// ballotOf returns a ballot for one candidate, there or not.
func ballotOf(s model.Scene, id, amount int) []byte {
	decision := fmt.Sprintf(`[%d]`, id)
	switch s.Ballot.Kind {
	case transcript.Choose:
		decision = fmt.Sprint(id)
	case transcript.Rate, transcript.Distribute:
		decision = fmt.Sprintf(`{"%d":%d}`, id, amount)
	}
	return fmt.Appendf(nil, `{"reason_for_decision":"It is best.","decision":%s}`, decision)
}

// negativeProposal turns every number of the proposal into a negative one.
func negativeProposal(_ *rand.Rand, _ model.Scene, good []byte) []byte {
	var answer map[string]any
	if json.Unmarshal(good, &answer) != nil || answer["proposal"] == nil {
		return []byte(`{"reason_for_decision":"It is fair.","proposal":-5}`)
	}
	answer["proposal"] = negateNumbers(answer["proposal"])
	out, _ := json.Marshal(answer) // it came from JSON
	return out
}

func negateNumbers(v any) any {
	switch v := v.(type) {
	case float64:
		return -v - 1
	case []any:
		for i := range v {
			v[i] = negateNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = negateNumbers(v[k])
		}
	case string:
		return "-" + v
	}
	return v
}
