package stopping

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/workflows/transcript"
)

// LearnedParams are the parameters of the rule learned: a method fitted on the collaborations of
// an ended campaign.
type LearnedParams struct {
	From      string `json:"from"`      // the campaign that it is fitted on
	Method    string `json:"method"`    // one of MethodNames
	Condition string `json:"condition"` // of that campaign; "" for the one that differs in stop alone
	// for dialogue_act: id of the labeller whose labels it is fitted on; "" for the only one
	Labeller string `json:"labeller"`
	// Alpha is, for e_process, the Evidence.Alpha; nil means 0.1.
	Alpha *float64 `json:"alpha,omitempty"`
	// Fit is a LearnedFit. Campaign files leave it out; the command that reads the file fits the
	// method and records it.
	Fit json.RawMessage `json:"fit,omitempty"`
}

// Check returns the errors in the parameters other than Fit.
func (p LearnedParams) Check() error {
	var errs []error
	if p.From == "" {
		errs = append(errs, errors.New("from is missing; name the campaign whose collaborations the method is fitted on"))
	}
	if !slices.Contains(MethodNames(), p.Method) {
		errs = append(errs, fmt.Errorf("method is %q; expected one of %s", p.Method, strings.Join(MethodNames(), ", ")))
	}
	switch {
	case p.Alpha == nil:
	case p.Method != MethodEProcess:
		errs = append(errs, fmt.Errorf("alpha is %v, and the method %s has no bound; leave it out", *p.Alpha, p.Method))
	case !(*p.Alpha > 0 && *p.Alpha < 1):
		errs = append(errs, fmt.Errorf("alpha is %v; expected more than 0 and less than 1", *p.Alpha))
	}
	if p.Labeller != "" && p.Method != MethodDialogueAct {
		errs = append(errs, fmt.Errorf("labeller is %q, and the method %s is fitted on no labels; leave it out",
			p.Labeller, p.Method))
	}
	return errors.Join(errs...)
}

// LearnedFit is a fitted method with what it was fitted on. It is part of a condition's identity.
type LearnedFit struct {
	Fitted
	On        FittedOn   `json:"on"`
	Validated *Validated `json:"validated,omitempty"` // nil if there are too few collaborations
	// Asks is the model that labels messages or measures distances while a collaboration runs, a
	// plan.Annotator in JSON; nil if the method needs none.
	Asks json.RawMessage `json:"asks,omitempty"`
}

// FittedOn says what a method was fitted on.
type FittedOn struct {
	Campaign       string `json:"campaign"`
	Revision       string `json:"revision"`
	Digest         string `json:"digest"` // of the rows of the campaign's collaborations
	Condition      string `json:"condition"`
	Collaborations int    `json:"collaborations"`
	// Of is how many collaborations the condition had, if some are left out: EndedEarly of these
	// succeeded but ended before their last planned round, the others did not succeed.
	Of         int    `json:"of,omitempty"`
	EndedEarly int    `json:"ended_early,omitempty"`
	Rounds     int    `json:"rounds"`
	Labeller   string `json:"labeller,omitempty"`
	Embedder   string `json:"embedder,omitempty"`
}

// Validated is the method's performance in cross-validation on the same collaborations. Scores
// are nil where undefined.
type Validated struct {
	Folds     int      `json:"folds"`
	Seed      uint64   `json:"seed"`
	Score     *float64 `json:"score"`      // mean score at the stop
	Baseline  *float64 `json:"baseline"`   // mean score after all rounds
	Oracle    *float64 `json:"oracle"`     // mean score at each collaboration's best round
	GapClosed *float64 `json:"gap_closed"` // share of the way from baseline to oracle
	Round     float64  `json:"round"`      // mean last round
	Effective float64  `json:"effective"`  // share that ended before the last round
}

// Learned is the Rule of a fitted method, for collaborations that run.
type Learned struct{ fit LearnedFit }

// NewLearned returns the rule of p.Fit; the error says what is wrong with it, or that there is
// none.
func NewLearned(p LearnedParams) (Rule, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if len(p.Fit) == 0 || string(p.Fit) == "null" {
		return nil, fmt.Errorf("nothing is fitted: the method %s has to be fitted on the campaign %s, which run and plan do", p.Method, p.From)
	}
	fit, err := ParseFit(p.Fit)
	if err != nil {
		return nil, fmt.Errorf("fit is unusable: %w", err)
	}
	if fit.Method != p.Method {
		return nil, fmt.Errorf("fit is of the method %s, and the method is %s", fit.Method, p.Method)
	}
	return Learned{fit}, nil
}

// ParseFit reads a LearnedFit from JSON and validates it; unknown keys are errors.
func ParseFit(data []byte) (fit LearnedFit, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&fit); err != nil {
		return fit, err
	}
	return fit, fit.Validate()
}

// Stop reports whether the fitted method stops at round.
func (l Learned) Stop(t *transcript.Transcript, round int) bool {
	return l.fit.StopsAt(RoundsOf(t, round), round)
}

// Reads returns what the method looks at. Every method that stops looks at decisions: without
// one, a collaboration that is stopped would have no outcome.
func (l Learned) Reads() []Trace {
	switch l.fit.Method {
	case MethodBaseline:
		return nil
	case MethodConsecutive:
		return []Trace{Decisions, Proposals}
	case MethodDistance, MethodDialogueAct:
		return []Trace{Decisions, Messages}
	}
	return []Trace{Decisions}
}

// Phases of annotation entries, and the roles that make them.
const (
	PhaseLabel    = "label"
	PhaseDistance = "distance"
	RoleLabeller  = "labeller"
	RoleEmbedder  = "embedder"
)

// AnnotatorRole returns the role that makes the method's annotations, RoleLabeller or
// RoleEmbedder; "" if it needs none.
func (f Fitted) AnnotatorRole() string {
	switch {
	case f.Never != "":
		return ""
	case f.Method == MethodDialogueAct:
		return RoleLabeller
	case f.Method == MethodDistance:
		return RoleEmbedder
	}
	return ""
}

// Annotations returns the steps that label a round's messages or measure its distance, unless t
// has them. A method that never stops needs none.
func (l Learned) Annotations(t *transcript.Transcript, round int) []transcript.Step {
	role := l.fit.AnnotatorRole()
	if role == "" || slices.ContainsFunc(t.Entries,
		func(e transcript.Entry) bool { return e.Kind == transcript.Annotate && e.Round == round }) {
		return nil
	}
	if role == RoleLabeller {
		return labelSteps(t, round)
	}
	return distanceSteps(t, round)
}

// labelSteps returns a step for each message of a round. It sees what was said in the
// round before and then the message; its speaker has the index of the message's.
func labelSteps(t *transcript.Transcript, round int) []transcript.Step {
	var steps []transcript.Step
	before := messagesOf(t, func(r int) bool { return r == round-1 })
	for _, e := range t.Entries {
		if e.Round != round || !isMessage(e) {
			continue
		}
		steps = append(steps, transcript.Step{
			Kind: transcript.Annotate, Speaker: transcript.Speaker{Role: RoleLabeller, Index: e.Speaker.Index},
			Round: round, Phase: PhaseLabel,
			Sees:    append(slices.Clone(before), transcript.Range{From: e.Index, To: e.Index + 1}),
			Payload: transcript.Payload{Format: transcript.FormatActs, Standing: -1},
		})
	}
	return steps
}

// distanceSteps returns the one step of a round, which sees all that was said so far;
// none where it and the round before do not both have messages.
func distanceSteps(t *transcript.Transcript, round int) []transcript.Step {
	for _, r := range []int{round - 1, round} {
		if len(messagesOf(t, func(of int) bool { return of == r })) == 0 {
			return nil
		}
	}
	return []transcript.Step{{
		Kind: transcript.Annotate, Speaker: transcript.Speaker{Role: RoleEmbedder}, Round: round, Phase: PhaseDistance,
		Sees:    messagesOf(t, func(r int) bool { return r <= round }),
		Payload: transcript.Payload{Format: transcript.FormatDistance, Standing: -1},
	}}
}

// messagesOf returns the messages of some rounds as ranges.
func messagesOf(t *transcript.Transcript, of func(round int) bool) []transcript.Range {
	var all []transcript.Range
	for _, e := range t.Entries {
		switch {
		case !of(e.Round) || !isMessage(e):
		case len(all) > 0 && all[len(all)-1].To == e.Index:
			all[len(all)-1].To++
		default:
			all = append(all, transcript.Range{From: e.Index, To: e.Index + 1})
		}
	}
	return all
}
