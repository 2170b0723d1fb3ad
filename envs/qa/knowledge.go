package qa

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/envs"
)

// firstAnswer returns the answer before anything was seen: right, or one of the wrong ones.
func (a Answerer) firstAnswer(s envs.Situation) envs.Proposal {
	right, lured, which := s.Rand.Float64(), s.Rand.Float64(), s.Rand.Float64()
	o, _ := s.Observation.(Observation)
	gold, wrong := a.answerKey(o)
	answer := gold
	if right >= a.Accuracy && len(wrong) > 0 {
		if answer = wrong[int(which*float64(len(wrong)))]; lured < a.Lure {
			answer = wrong[envs.Stream(0, "qa/lure", o.ID).IntN(len(wrong))]
		}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return ""
	}
	return envs.Proposal(data)
}

// answerKey returns the right answer and some wrong ones, in canonical form.
func (a Answerer) answerKey(o Observation) (gold string, wrong []string) {
	var q Question
	if i, known := a.env.byID[o.ID]; known {
		q = a.env.all[i]
	}
	if q.shuffle && q.hasOptions() { // where this instance has them
		var right []string
		for i, option := range o.Options {
			if key := q.keyTexts(); slices.Contains(key, option.Text) {
				right = append(right, letterOf(i))
			}
		}
		if q.Gold = right[:min(1, len(right))]; q.Kind == Several {
			q.Gold = []string{"(" + strings.Join(right, ")(") + ")"}
		}
	}
	in := Instance{env: a.env, q: q}
	if right := in.acceptedAnswers(); len(right) > 0 {
		gold = right[0]
	} else if q.Kind == Open { // there is no right one to look up
		gold = "this is what I think"
	}
	for _, w := range q.listDistractors() {
		if !in.isCorrect(w) {
			wrong = append(wrong, w)
		}
	}
	return gold, wrong
}

// listDistractors returns answers of the question's form, the right one perhaps among them.
func (q Question) listDistractors() []string {
	var all []string
	switch q.Kind {
	case Choice, Several:
		for i := range q.Options {
			all = append(all, "("+letterOf(i)+")")
		}
	case YesNo:
		all = []string{"yes", "no"}
	case Span:
		all = append(all, Unknown)
		words := strings.Fields(plainWords(q.Context))
		rng := envs.Stream(0, "qa/span", q.ID)
		for range min(len(words), 4) {
			all = append(all, words[rng.IntN(len(words))])
		}
	case Text, Open:
		for n := range 4 {
			all = append(all, fmt.Sprint("something else ", n+1))
		}
	default:
		for n := range 6 {
			all = append(all, fmt.Sprint(n+2))
		}
	}
	return all
}
