package envs

import "time"

// Outside is an Instance whose final decision may be scored by a program outside
// of it. Then Score and Utility know nothing, and return 0.
type Outside interface {
	// ScoreRequest returns what the program is asked about a final decision; nil if
	// Score says what it is worth.
	ScoreRequest(p Proposal) *ScoreRequest
}

// Scoring is an Environment whose instances a program may score; see Outside.
type Scoring interface {
	// Scorer returns the program and its arguments; nil without one.
	Scorer() []string
}

// ScoreRequest is one final decision for a program that scores.
type ScoreRequest struct {
	Command []string
	Timeout time.Duration
	Input   []byte // one JSON value, which the program gets as a line
	About   string // what is scored, for errors: a question with its file and line
}

// Judged is an Instance whose final decision may be scored by a model that is shown
// it. Then Score and Utility know nothing, and return 0.
type Judged interface {
	// JudgeCase returns what the model is shown of a final decision; nil if no model
	// scores it.
	JudgeCase(p Proposal) *JudgeCase
}

// JudgeCase is one final decision for a model that scores.
type JudgeCase struct {
	Question   string   `json:"question"`
	Context    string   `json:"context,omitempty"`
	Options    []string `json:"options,omitempty"`
	References []string `json:"reference_answers,omitempty"` // right answers
	Answer     string   `json:"answer"`
	ID         string   `json:"-"` // of the question
	About      string   `json:"-"` // what is scored, for errors: a question with its file and line
}
