package prompt_test

import (
	"fmt"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/workflows/transcript"
)

// Ballots in JSON of other names and shapes, with what a person reads in each, as below.
func TestShapesOfBallots(t *testing.T) {
	hundred := transcript.BallotSpec{Kind: transcript.Distribute, N: 3, Points: 100}
	specs := map[string]transcript.BallotSpec{"choose": choose, "rate": rate, "rank": rank, "spread": spread, "approve": approve, "hundred": hundred}
	for _, x := range []struct{ kind, want, text string }{
		{"choose", "1", `{"vote": 2}`}, {"choose", "1", `{"reason": "x", "Choice": "Solution 2"}`}, {"choose", "1", `{"my_vote": {"candidate": 2}}`},
		{"choose", "1", `{"decision": {"vote": 2, "confidence": 90}}`}, {"choose", "1", `{"decision": {"candidate": "#2", "reason": "x"}}`}, {"choose", "A", `{"vote": null}`},
		{"choose", "-", `{"answer": 2}`}, {"choose", "-", `{"vote": 2, "choice": 1}`}, {"choose", "-", `{"vote": 2, "Vote ": 3}`},
		{"choose", "-", `{"decision": [{"candidate": 2}]}`}, {"choose", "-", `{"decision": {"1": 2}}`}, {"choose", "-", `{"vote": "B"}`}, {"choose", "-", `{"vote": 9}`},

		{"rank", "[1 2 0]", `{"ranking": [2, 3, 1]}`}, {"rank", "[1 2 0]", `{"decision": {"ranking": [2, 3, 1]}}`}, {"rank", "[1 2 0]", `{"Ranking": ["Candidate 2", "Candidate 3", "Candidate 1"]}`},
		{"rank", "[1 2 0]", `{"decision": [{"candidate": 2}, {"candidate": 3}, {"candidate": 1}]}`},
		{"rank", "[1 2 0]", `{"ballot": [{"rank": 3, "candidate": 1}, {"rank": 1, "candidate": 2}, {"rank": 2, "candidate": 3}]}`},
		{"rank", "-", `{"decision": [{"rank": 1, "candidate": 1}, {"rank": 1, "candidate": 2}, {"rank": 2, "candidate": 3}]}`},
		{"rank", "-", `{"decision": [{"candidate": 1, "score": 5}, {"candidate": 2, "score": 9}, {"candidate": 3, "score": 1}]}`},
		{"rank", "-", `{"decision": {"1": 2, "2": 3, "3": 1}}`}, {"rank", "-", `{"decision": [{"who": 2}, {"who": 3}, {"who": 1}]}`}, {"rank", "-", `{"ranking": [2, 3, 1], "order": [1, 2, 3]}`},

		{"approve", "[0 2]", `{"approved": [1, 3]}`}, {"approve", "[0 2]", `{"decision": {"1": true, "2": false, "3": "yes"}}`}, {"approve", "[]", `{"decision": {"1": "no", "2": "no", "3": "no"}}`},
		{"approve", "[0 2]", `{"decision": [{"candidate": 1, "approve": true}, {"candidate": 2, "approve": "no"}, {"candidate": 3, "approve": "Yes"}]}`},
		{"approve", "[0 2]", `{"votes": {"approvals": [3, 1]}, "decision": [1, 3]}`}, {"approve", "-", `{"decision": {"1": 5, "2": 1, "3": 4}}`}, {"approve", "-", `{"decision": {"1": "maybe", "2": "no"}}`}, {"approve", "-", `{"vote": 2}`}, {"approve", "-", `{"decision": true}`},

		{"rate", "[5 1 3]", `{"ratings": {"1": 5, "2": 1, "3": 3}}`}, {"rate", "[5 1 3]", `{"Scores": {"Solution 1": "5/5", "Solution 2": "1/5", "Solution 3": "3 points"}}`},
		{"rate", "[5 1 3]", `{"decision": [{"candidate": 1, "rating": 5}, {"candidate": "Solution 2", "rating": 1}, {"id": 3, "score": 3}]}`},
		{"rate", "[5 1 3]", `{"1": 5, "2": 1, "3": 3, "reason_for_decision": "x"}`}, {"rate", "[5 5 3]", `{"decision": [5, 5, 3]}`},
		{"rate", "-", `{"decision": [3, 1, 2]}`}, {"rate", "-", `{"decision": [5, 5]}`}, {"rate", "-", `{"decision": {"1": "50%", "2": "10%", "3": "30%"}}`},
		{"rate", "-", `{"decision": {"1": "5/10", "2": "1/10", "3": "3/10"}}`}, {"rate", "-", `{"decision": [{"candidate": 1, "rating": 5}, {"candidate": 1, "rating": 1}, {"candidate": 3, "rating": 3}]}`},

		{"spread", "[2 0 1]", `{"points": {"1": 2, "3": 1}}`}, {"spread", "[2 0 1]", `{"decision": [2, 0, 1]}`}, {"spread", "[2 0 1]", `{"allocation": [{"option": 1, "points": 2}, {"option": 3, "points": 1}]}`},
		{"hundred", "[60 40 0]", `{"decision": {"1": "60%", "2": "40 %"}}`}, {"hundred", "[60 40 0]", `{"distribution": {"Candidate 1": "60 points", "Candidate 2": 40}}`},
		{"hundred", "-", `{"decision": {"1": "60%", "2": "50%"}}`}, {"hundred", "-", `{"decision": {"1": 0.6, "2": 0.4}}`}, {"hundred", "-", `{"points": {"1": 100}, "votes": {"2": 100}}`},

		// Rejections are no approvals, nor is a candidate that is only listed.
		{"approve", "[0]", `{"decision":[{"candidate":1,"decision":"approve"},{"candidate":2,"decision":"reject"},{"candidate":3,"decision":"reject"}]}`},
		{"approve", "[0]", `{"decision":[{"candidate":1,"verdict":"yes"},{"candidate":2,"verdict":"no"},{"candidate":3,"verdict":"no"}]}`},
		{"approve", "[0]", `{"decision":[{"candidate":1,"acceptable":true},{"candidate":2,"acceptable":false},{"candidate":3,"acceptable":false}]}`},
		{"approve", "[0]", `{"decision":[{"candidate":1,"approve":true,"reason":"x"},{"candidate":2,"approve":false,"reason":"y"},{"candidate":3,"approve":"rejected"}]}`},
		{"approve", "-", `{"decision":[{"candidate":1,"reason":"good"},{"candidate":2,"reason":"wrong, I do not approve"},{"candidate":3,"reason":"wrong, I do not approve"}]}`},
		{"approve", "-", `{"decision":[{"candidate":1},{"candidate":3}]}`}, {"approve", "-", `{"decision":[{"candidate":1,"approve":true},{"candidate":2},{"candidate":3,"approve":true}]}`},
		{"approve", "-", `{"decision":[{"candidate":1,"approve":true,"correct":false},{"candidate":2,"approve":true},{"candidate":3,"approve":true}]}`},
		{"approve", "-", `{"decision":[{"candidate":1,"approve":true},{"candidate":1,"approve":false},{"candidate":3,"approve":true}]}`},
		{"approve", "-", `{"decision":[{"candidate":2,"approve":false}]}`}, {"approve", "-", `{"decision":{"2":false}}`}, {"approve", "-", `{"decision":{"1":true,"Solution 1":false,"3":true}}`},
		{"approve", "-", `{"candidates":[1,2,3],"rejected":[2,3]}`}, {"approve", "-", `{"candidates":[1,2,3],"acceptable":[1]}`}, {"approve", "-", `{"decision":{"candidates":[1,2,3],"rejected":[2,3]}}`},
		{"approve", "-", `{"candidates":[1,2,3]}`}, {"approve", "-", `{"approved":[1,2,3],"rejected":[2,3]}`}, {"approve", "-", `{"decision":{"approved":[1,2,3],"rejected":[2,3]}}`},
		{"choose", "-", `{"decision":{"candidate":2,"approve":false}}`}, {"choose", "-", `{"decision":{"vote":2,"approve":false}}`}, {"choose", "-", `{"vote":2,"approve":false}`},
		{"choose", "-", `{"decision":{"vote":null,"candidate":2}}`},

		// A ranking that states its order is not read in the order of the list.
		{"rank", "[1 2 0]", `{"decision":[{"candidate":1,"order":3},{"candidate":2,"order":1},{"candidate":3,"order":2}]}`},
		{"rank", "[1 2 0]", `{"decision":[{"candidate":1,"preference":3},{"candidate":2,"preference":1},{"candidate":3,"preference":2}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"order":"last"},{"candidate":2,"order":"first"},{"candidate":3,"order":"second"}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"choice":"last"},{"candidate":2,"choice":"first"},{"candidate":3,"choice":"second"}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"probability":0.1},{"candidate":2,"probability":0.6},{"candidate":3,"probability":0.3}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"probability":0.1},{"candidate":2,"confidence":0.6},{"candidate":3}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"confidence":0.1},{"candidate":2,"confidence":0.6},{"candidate":3,"confidence":0.3}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"reason":"the worst"},{"candidate":2,"reason":"the best"},{"candidate":3,"reason":"good"}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"rank":1},{"candidate":2},{"candidate":3,"rank":2}]}`},
		{"rank", "-", `{"decision":[{"candidate":1,"rank":1,"order":3},{"candidate":2,"rank":2,"order":1},{"candidate":3,"rank":3,"order":2}]}`},

		// An example in prose is no vote.
		{"choose", "-", `For example {"choice": 1} would be wrong; I choose candidate 2.`}, {"choose", "-", `I first said {"vote": 1}, but I now abstain.`},
		{"choose", "-", `{"vote": 1}, but I now abstain. {"vote": 1}`}, {"choose", "-", "I first said\n```json\n{\"vote\": 1}\n```\nbut I now abstain."},
		{"spread", "-", `For example {"1": 2, "2": 1} would be wrong.`}, {"choose", "1", "My vote:\n```json\n{\"vote\": 2}\n```"}, {"choose", "1", "```\n{\"vote\": 2}\n```"},

		// What could be an answer to the question is no candidate, and none is an abstention in every shape.
		{"choose", "-", `{"decision":{"solution":2}}`}, {"choose", "-", `{"decision":{"proposal":2}}`}, {"choose", "-", `{"decision":{"number":2}}`}, {"choose", "-", `{"choice":1,"answer":2}`},
		{"choose", "A", `{"decision":{"vote":null}}`}, {"rate", "A", `{"ratings":null}`}, {"approve", "A", `{"vote":null}`}, {"approve", "-", `{"approved":null}`}, {"approve", "-", `{"decision":{"approved":"none"}}`},
		{"rate", "A", `{"decision":{"ratings":null}}`},
		{"spread", "-", `{"decision":[1,1,1]}`}, {"spread", "[3 0 0]", `{"decision":[3,0,0]}`}, {"rate", "[5 1 1]", `{"decision":[5,1,1]}`},
	} {
		a, err := prompt.Parse([]byte(x.text), step(transcript.FormatBallot, specs[x.kind]), economy(t))
		if got := ballotWords(x.kind, a, err); got != x.want {
			t.Errorf("%s %s is read as %s, %v; want %s", x.kind, x.text, got, err, x.want)
		}
	}
}

// What of a ballot was another name or shape is said as other repairs are.
func TestShapesOfBallotsAreSaid(t *testing.T) {
	for _, x := range []struct {
		form       transcript.BallotSpec
		text, want string
	}{
		{choose, `{"decision": 2}`, "json"}, {rate, `{"decision": {"1": 5, "2": 1, "3": 3}}`, "json"}, {rank, `{"decision": [2, 3, 1]}`, "json"}, {approve, `{"decision": []}`, "json"},
		{choose, `{"vote": 2}`, "json, repaired: names"}, {choose, `{"Decision": 2}`, "json, repaired: names"},
		{choose, `{"decision": {"candidate": 2, "reason": "x"}}`, "json, repaired: object around it"}, {choose, `{"my_vote": {"candidate": 2}}`, "json, repaired: names, object around it"},
		{choose, `{"a": {"decision": {"vote": 2}}}`, "json, repaired: object around it"}, {choose, `{vote: null}`, "json, repaired: names without quotes, names"},
		{rank, `{"decision": [{"candidate": 2}, {"candidate": 3}, {"candidate": 1}]}`, "json, repaired: list of objects"}, {rank, `[{"candidate": 2}, {"candidate": 3}, {"candidate": 1}]`, "json, repaired: list without an object, list of objects"},
		{approve, `{"decision": {"1": "yes", "2": "no", "3": "no"}}`, "json, repaired: yes and no by name"}, {rate, `{"decision": [5, 5, 3]}`, "json, repaired: points in a list"},
		{rate, `{"1": "5/5", "2": 1, "3": 3}`, "json, repaired: decision without an object, number in words"},
	} {
		a, err := prompt.Parse([]byte(x.text), step(transcript.FormatBallot, x.form), economy(t))
		if err != nil || a.ReadAs != x.want {
			t.Errorf("%s is read as %q, %v; want %q", x.text, a.ReadAs, err, x.want)
		}
	}
}

// ballotWords returns a ballot as tests write it.
func ballotWords(kind string, a prompt.Answer, err error) string {
	b := a.Act.Ballot
	switch {
	case err != nil:
		return "-"
	case b.Abstain:
		return "A"
	case kind == "choose":
		return fmt.Sprint(b.Choice)
	case kind == "rank", kind == "approve":
		return fmt.Sprint(b.Order)
	}
	return fmt.Sprint(b.Points)
}

// Ballots as models write them, with what a person reads in each: candidates from 0, points, "A"
// for none and "-" for what cannot be told.
func TestWrittenBallots(t *testing.T) {
	specs := map[string]transcript.BallotSpec{"choose": choose, "rate": rate, "rank": rank, "spread": spread, "approve": approve}
	for _, x := range []struct{ kind, want, text string }{
		{"rank", "-", "1. Solution 1: good\n2. Solution 2: bad\n3. Solution 3: best"}, {"rank", "-", "Rejected: 2, 1, 3"}, {"approve", "-", "1\n2\nNone of them: 3"},
		{"spread", "-", `{"decision": {"1": 2, "Solution 1": 1}}`}, {"approve", "-", "3 > 1"}, {"spread", "[1 2 0]", "I like 2 best.\n\n1: 1\n2: 2"},
		{"rate", "-", "1:-2, 2:3, 3:1"}, {"rate", "-", "1: -2\n2: 3\n3: 1"}, {"spread", "-", "1:-2, 2:3, 3:1"}, {"spread", "-", "1: many\n2: 3\n3: 1"},
		{"approve", "-", "We accept 1\nI approve 2"}, {"approve", "-", "1, 2\n\nI approve 3"}, {"approve", "-", "I approve 1.\n\nI approve 3."}, {"rank", "-", "1, 2, 3\n\nRanking: 3, 2, 1"},
	} {
		s := step(transcript.FormatBallot, specs[x.kind])
		s.Payload.Bare = true
		a, err := prompt.Parse([]byte(x.text), s, puzzle(t))
		if got := ballotWords(x.kind, a, err); got != x.want {
			t.Errorf("%s %q is read as %s, %v; want %s", x.kind, x.text, got, err, x.want)
		}
	}
}
