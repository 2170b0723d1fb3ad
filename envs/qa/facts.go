package qa

import (
	"fmt"
	"strings"

	"roundtable/envs"
)

// Facts returns the question as it was dealt, and its accepted answers.
func (in *Instance) Facts() []envs.Fact {
	var facts []envs.Fact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, envs.Fact{Name: name, Text: text})
		}
	}
	add("Context", in.seen.Context)
	add("Question", in.seen.Question)
	var options []string
	for _, o := range in.seen.Options {
		options = append(options, fmt.Sprintf("(%s) %s", o.Letter, o.Text))
	}
	add("Options", strings.Join(options, "\n"))
	key := strings.Join(in.acceptedAnswers(), ", or ")
	if key == "" && in.q.Kind == Open {
		key = "none is given"
	} else if key == "" {
		key = "the text does not say it"
	}
	add("Right answer", key)
	return facts
}

// Question returns the question as it was dealt.
func (in *Instance) Question() envs.Question {
	q := envs.Question{Text: in.seen.Question, Context: in.seen.Context, Options: in.q.Options, Source: in.q.place}
	for _, key := range in.acceptedAnswers() {
		if p, err := in.toProposal(key, nil); err == nil {
			q.Keys = append(q.Keys, p)
		}
	}
	return q
}
