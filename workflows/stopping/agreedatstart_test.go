package stopping_test

import (
	"testing"

	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// answered is a round in which four agents give the answers of a text, one letter
// each and "-" for none, with confidences in percent; the most frequent one wins
// unless two are equally frequent.
func answered(t *transcript.Transcript, round int, answers string, percent ...float64) {
	count := transcript.Step{Kind: transcript.Decide, Round: round}
	for agent, key := range answers {
		step := transcript.Step{Kind: transcript.Ask, Round: round, Speaker: transcript.Speaker{Index: agent}}
		step.Payload.Format, step.Payload.Confidence = transcript.FormatAnswer, len(percent) > 0
		act := transcript.Act{Status: transcript.Said, Key: string(key)}
		if len(percent) > 0 && percent[agent] >= 0 {
			act.Values = []float64{percent[agent] / 100}
		}
		t.Append(step, act)
		at := -1
		for i, c := range count.Payload.Candidates {
			if c.Key == string(key) {
				at = i
			}
		}
		if at < 0 && key != '-' {
			at = len(count.Payload.Candidates)
			count.Payload.Candidates = append(count.Payload.Candidates, transcript.Candidate{Key: string(key)})
		}
		if at >= 0 {
			count.Payload.Candidates[at].Agents = append(count.Payload.Candidates[at].Agents, agent)
		}
	}
	best, most, tied := -1, 0, false
	for i, c := range count.Payload.Candidates {
		if n := len(c.Agents); n >= most {
			best, most, tied = i, n, n == most
		}
	}
	if tied {
		best = -1
	}
	t.Append(count, transcript.Act{Decision: &transcript.Decision{Selected: best, Standing: -1}})
}

func TestAgreement(t *testing.T) {
	for answers, want := range map[string]float64{"AAAA": 1, "AABA": 0.75, "ABCD": 0.25, "AABB": 0.5, "A---": 0.25, "AAA-": 0.75} {
		talk := transcript.Transcript{Agents: 4}
		answered(&talk, 1, answers)
		if got, ok := stopping.Agreement(&talk, 1); !ok || got != want {
			t.Errorf("%s: agreement is %v, want %v", answers, got, want)
		}
		if _, ok := stopping.Agreement(&talk, 2); ok {
			t.Errorf("%s: a round without a decision has an agreement", answers)
		}
	}
	apart := transcript.Transcript{Agents: 5} // a vote on each agent's text, whatever it answers
	count := transcript.Step{Kind: transcript.Decide, Round: 1}
	for agent, key := range "AABAB" {
		count.Payload.Candidates = append(count.Payload.Candidates, transcript.Candidate{Key: string(key), Entry: agent, Agents: []int{agent}})
	}
	apart.Append(count, transcript.Act{Decision: &transcript.Decision{Selected: 0, Standing: -1}})
	if got, _ := stopping.Agreement(&apart, 1); got != 0.6 {
		t.Errorf("three of five give an answer of a candidate each: agreement is %v, want 0.6", got)
	}
	talk := transcript.Transcript{Agents: 4}
	answered(&talk, 1, "----")
	if _, ok := stopping.Agreement(&talk, 1); ok {
		t.Error("a decision on nothing has an agreement")
	}
}

func TestTalkOnlyWhenNeeded(t *testing.T) {
	sure := []float64{90, 80, 95, 100}
	for _, x := range []struct {
		answers    string
		confidence []float64
		share      float64
		level      float64 // of confidence; 0 does not ask for it
		stops      bool
	}{
		{"AAAA", nil, 1, 0, true},
		{"AAAB", nil, 1, 0, false},
		{"AAAB", nil, 0.75, 0, true},
		{"AAB-", nil, 0.5, 0, true},
		{"AABB", nil, 0.5, 0, false}, // nothing was selected, so nothing would stand
		{"AAAB", nil, 0.7500001, 0, true},
		{"AAAA", sure, 1, 0.8, true},
		{"AAAA", sure, 1, 0.9, false},
		{"AAAA", sure, 0.75, 0.9, true},
		{"AAAB", sure, 0.75, 0.9, false}, // the one who is surest holds another answer
		{"AAAA", []float64{90, 90, 90, -1}, 1, 0.8, false},
		{"AAAA", nil, 1, 0.8, false}, // nobody was asked
	} {
		talk := transcript.Transcript{Agents: 4}
		answered(&talk, 1, x.answers, x.confidence...)
		answered(&talk, 2, "AAAA", sure...)
		rule, err := stopping.NewAgreedAtStart(stopping.AgreedAtStartParams{Share: x.share})
		if x.level > 0 {
			rule, err = stopping.NewConfidentAtStart(stopping.ConfidentAtStartParams{Share: x.share, Confidence: x.level})
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := rule.Stop(&talk, 1); got != x.stops {
			t.Errorf("%s %v, share %v, confidence %v: stops is %t", x.answers, x.confidence, x.share, x.level, got)
		}
		if rule.Stop(&talk, 2) {
			t.Errorf("%s: it stops after the second round", x.answers)
		}
	}
}

func TestSharesThatNobodyCanHold(t *testing.T) {
	for _, share := range []float64{0, -1, 1.01} {
		if _, err := stopping.NewAgreedAtStart(stopping.AgreedAtStartParams{Share: share}); err == nil {
			t.Errorf("share %v is accepted", share)
		}
		if _, err := stopping.NewConfidentAtStart(stopping.ConfidentAtStartParams{Share: 1, Confidence: share}); err == nil {
			t.Errorf("confidence %v is accepted", share)
		}
	}
}
