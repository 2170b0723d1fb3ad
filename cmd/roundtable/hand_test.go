package main

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/cmd/internal/analyze"
)

// Scores by hand are read from a table as from JSON lines.
func TestReadHand(t *testing.T) {
	for name, text := range map[string]string{
		"h.csv": "question;answer;score;collaboration\nq1;yes;5;\n;;2.5;b\n", "scores": "question,answer,score,collaboration\nq1,yes,5,\n,,2.5,b\n",
		"h.jsonl": `{"question": "q1", "answer": "yes", "score": 5}` + "\n" + `{"collaboration": "b", "score": 2.5}`,
	} {
		hand, err := analyze.ReadHand(name, []byte(text))
		for i := range hand {
			hand[i].Line = 0
		}
		if got := fmt.Sprint(hand, err); got != "[{0  q1 yes 5} {0 b   2.5}] <nil>" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Errors of a file come at once, with lines.
func TestHandErrors(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"h.csv", "", "it is empty; needed are"},
		{"h.csv", "question,points\n", "it has question, points; needed are score and"},
		{"h.csv", "question,score\n", "holds no scores"},
		{"h.csv", "question,score\nq1,good\n,1\nq1\n", "line 2: the score is \"good\""},
		{"h.csv", "question,score\nq1,good\n,1\nq1\n", "line 3: it names neither"},
		{"h.csv", "question,score\nq1,good\n,1\nq1\n", "line 4: the score is \"\""},
		{"h.jsonl", "x\n", "line 1: this is not JSON"},
	} {
		if _, err := analyze.ReadHand(x.name, []byte(x.text)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, want %s", x.text, err, x.want)
		}
	}
}
