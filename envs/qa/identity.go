package qa

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Identity returns a hash of what is asked and of its right answer, whatever the question is
// called and wherever its options stand: 32 hexadecimal digits. Each context of viewpoints of a
// question has its own identity, and so has each repetition of the question in the data.
func (in *Instance) Identity() string {
	besides := []any{in.suffix}
	if in.repeat > 0 {
		besides = append(besides, in.repeat)
	}
	return in.q.hash(besides...)
}

func (q Question) hash(besides ...any) string {
	options := slices.Sorted(slices.Values(q.Options))
	data, err := json.Marshal(append([]any{q.Kind, q.Text, q.Context, options, q.keyTexts()}, besides...))
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
	if hash == "" {
		i, known := e.byID[id]
		if !known {
			return Question{}, fmt.Errorf("there is no question %q in %s", id, e.params.File)
		}
		return e.all[i], nil
	}
	if e.byHash == nil {
		e.byHash = map[string]Question{}
		for i, q := range e.questions {
			e.byHash[(&Instance{env: e, q: q, repeat: e.repeats[i]}).Identity()] = q
		}
	}
	q, known := e.byHash[hash]
	if !known {
		return q, fmt.Errorf("question %q (hash %s) is none of %s: its text, options or right answer differ", id, hash,
			e.params.File)
	}
	return q, nil
}

// countRepeats returns how often each question has been asked before among some, and a
// warning that names one; "" if each is asked once.
func countRepeats(questions []Question) (repeats []int, warning string) {
	before, first, n := map[string]int{}, map[string]string{}, 0
	for _, q := range questions {
		hash := q.hash()
		if before[hash] == 0 {
			first[hash] = q.ID
		} else if n++; n == 1 {
			warning = fmt.Sprintf("%s asks the same as %s, with the same right answer", q.ID, first[hash])
		}
		repeats = append(repeats, before[hash])
		before[hash]++
	}
	if n > 1 {
		warning = fmt.Sprintf("%d questions ask the same as others, with the same right answer: %s", n, warning)
	}
	if n > 0 {
		warning += "; each counts as a question of its own; skip: [IDS] leaves some out"
	}
	return repeats, warning
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
