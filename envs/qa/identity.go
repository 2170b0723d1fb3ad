package qa

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// questionOf returns the question that a line of another file is about: the one with the hash, as
// Identity returns it, or, of a line without one, the one that is called so. Ids such as 1, 2, 3
// are those of any file.
func (e *QA) questionOf(id, hash string) (Question, error) {
	q, known := e.byID[id]
	switch {
	case known && (hash == "" || hash == (&Instance{env: e, q: q}).Identity()):
		return q, nil
	case hash == "":
		return q, fmt.Errorf("there is no question %q in %s", id, e.params.File)
	}
	if e.byHash == nil {
		e.byHash = map[string]Question{}
		for _, q := range e.questions {
			e.byHash[(&Instance{env: e, q: q}).Identity()] = q
		}
	}
	if q, known = e.byHash[hash]; !known {
		return q, fmt.Errorf("question %q (hash %s) is none of %s: its text, options or right answer differ", id, hash, e.params.File)
	}
	return q, nil
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
