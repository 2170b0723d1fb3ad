package ruletest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// RunStopping runs the suite; reads is what the rule's catalogue entry says it looks at.
func RunStopping(t *testing.T, rule stopping.Rule, reads ...stopping.Trace) {
	t.Helper()
	stopped := 0
	for seed := range uint64(150) {
		talk := drawTalk(rand.New(rand.NewPCG(seed, 1)))
		n, err := checkStop(rule, talk, reads)
		if err != nil {
			t.Fatalf("transcript %d: %v", seed, err)
		}
		stopped += n
	}
	if len(reads) > 0 && stopped == 0 {
		t.Errorf("the rule reads %v and stops none of 150 talks", reads)
	}
}

// checkStop returns in how many rounds a rule stops a talk, or how it breaks a promise.
func checkStop(rule stopping.Rule, talk transcript.Transcript, reads []stopping.Trace) (stopped int, err error) {
	if rule.Stop(&transcript.Transcript{Agents: talk.Agents}, 1) {
		return 0, errors.New("it stops a talk in which nothing was said")
	}
	before := transcript.Transcript{Agents: talk.Agents, Entries: slices.Clone(talk.Entries)}
	for round := 1; round <= rounds; round++ {
		got := rule.Stop(&talk, round)
		switch {
		case rule.Stop(&talk, round) != got:
			return 0, fmt.Errorf("round %d: it answers differently the second time", round)
		case !reflect.DeepEqual(talk, before):
			return 0, fmt.Errorf("round %d: it changes the transcript", round)
		}
		past := only(talk, func(e transcript.Entry) bool { return e.Round <= round })
		if rule.Stop(&past, round) != got {
			return 0, fmt.Errorf("round %d: its answer depends on later rounds", round)
		}
		read := only(talk, func(e transcript.Entry) bool { return slices.Contains(reads, traceOf(e)) })
		if rule.Stop(&read, round) != got {
			return 0, fmt.Errorf("round %d: its answer depends on more than %v", round, reads)
		}
		if got {
			stopped++
		}
	}
	return stopped, nil
}

// only keeps the entries for which keep holds, in a transcript of their own.
func only(t transcript.Transcript, keep func(transcript.Entry) bool) transcript.Transcript {
	kept := transcript.Transcript{Agents: t.Agents}
	for _, e := range t.Entries {
		if keep(e) {
			kept.Entries = append(kept.Entries, e)
		}
	}
	return kept
}

// traceOf returns what an entry is to a stopping rule.
func traceOf(e transcript.Entry) stopping.Trace {
	switch {
	case e.Kind == transcript.Decide:
		return stopping.Decisions
	case e.Kind == transcript.Env:
		return stopping.States
	case e.Payload.Format == transcript.FormatProposal:
		return stopping.Proposals
	case e.Payload.Confidence:
		return stopping.Confidences
	}
	return stopping.Messages // and what annotations say of them
}

const (
	agents = 3
	rounds = 5
)

// drawTalk makes a talk with messages, proposals, answers, states and decisions in each round.
func drawTalk(rng *rand.Rand) transcript.Transcript {
	t := transcript.Transcript{Agents: agents}
	for round := 1; round <= rounds; round++ {
		step := func(kind transcript.Kind, agent int, format transcript.Format) transcript.Step {
			return transcript.Step{Kind: kind, Round: round, Phase: "phase", Speaker: transcript.Speaker{Index: agent},
				Payload: transcript.Payload{Format: format, Standing: -1}}
		}
		for i := range agents {
			t.Append(step(transcript.Ask, i, transcript.FormatMessage), transcript.Act{Status: transcript.Said})
			status := transcript.Said
			if rng.IntN(2) == 0 {
				status = transcript.Skipped
			}
			t.Append(step(transcript.Ask, i, transcript.FormatProposal),
				transcript.Act{Status: status, Key: fmt.Sprint("k", rng.IntN(2))})
		}
		answers := make([]transcript.Candidate, 2) // and who gives them
		for i := range agents {
			key := rng.IntN(2)
			answers[key].Agents = append(answers[key].Agents, i)
			answer := step(transcript.Ask, i, transcript.FormatAnswer)
			answer.Payload.Confidence = true
			t.Append(answer, transcript.Act{Status: transcript.Said, Key: fmt.Sprint("k", key),
				Values: []float64{float64(rng.IntN(2))}})
		}
		for i := range agents {
			t.Append(step(transcript.Env, i, ""),
				transcript.Act{Status: transcript.Said, Values: []float64{float64(rng.IntN(2))}})
		}
		d := transcript.Decision{Selected: rng.IntN(2) - 1, Standing: -1}
		if d.Selected == 0 {
			d.Winners, d.Key = []int{0}, fmt.Sprint("k", rng.IntN(2))
		}
		count := step(transcript.Decide, 0, "")
		count.Payload.Candidates = answers
		t.Append(count, transcript.Act{Status: transcript.Said, Decision: &d})
		for i := range agents {
			act := stopping.ActNames[rng.IntN(3)]
			t.Append(step(transcript.Annotate, i, transcript.FormatActs),
				transcript.Act{Status: transcript.Said, Tags: []string{act}})
		}
		t.Append(step(transcript.Annotate, 0, transcript.FormatDistance),
			transcript.Act{Status: transcript.Said, Values: []float64{rng.Float64()}})
	}
	return t
}
