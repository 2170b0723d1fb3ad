package qa

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Identity returns a hash of what is asked and of its right answer, whatever the question is
// called and wherever its options stand: 32 hexadecimal digits. Of a question with contexts
// of viewpoints each is one of its own.
func (in *Instance) Identity() string {
	q := in.q
	options := slices.Sorted(slices.Values(q.Options))
	data, err := json.Marshal([]any{q.Kind, q.Text, q.Context, options, q.keyTexts(), in.suffix})
	if err != nil {
		panic("qa: " + err.Error()) // texts always marshal
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// keyTexts returns the right answers, those that are options by their texts, in one order.
func (q Question) keyTexts() []string {
	key := slices.Clone(q.Gold)
	if q.hasOptions() {
		key = nil
		for _, gold := range q.Gold {
			for _, c := range gold {
				if i := int(c - 'A'); i >= 0 && i < len(q.Options) {
					key = append(key, q.Options[i])
				}
			}
		}
	}
	slices.Sort(key)
	return key
}
