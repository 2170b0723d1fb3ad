package labels

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"

	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
)

// Rules is the name of the labeller that follows rules.
const Rules = "scripted/labeller"

// rules labels by words. It is not a language model: it shows how the machinery
// works, and gives figures for scripted agents. Its labels are marked simulated.
type rules struct{}

// NewRules makes the labeller that follows rules on words: the same message after the
// same round always has the same labels.
func NewRules() model.Model { return rules{} }

// signs are the words that give an act away.
var signs = map[string]*regexp.Regexp{
	"Request":    regexp.MustCompile(`(?i)\?|\b(please (tell|share|say|let)|tell (me|us)|what do you|let (me|us) know|i('d| would) like to (know|hear))\b`),
	"Confirm":    regexp.MustCompile(`(?i)\b(is (that|this|it) (right|correct|so)|(right|correct)\?|(can|could) (you|we|anyone) (confirm|verify)|do i understand|did you mean|to confirm)`),
	"Summarize":  regexp.MustCompile(`(?i)\b(in (summary|short|sum)|to (summari[sz]e|sum up|recap)|so far,? we|all in all)\b`),
	"Evaluate":   regexp.MustCompile(`(?i)\b(i (think|believe|feel|estimate|prefer)|in my (view|opinion)|(un)?fair|good|better|best|bad|worse|worst|matters? (most )?to me|percent of what|seems|sounds)\b`),
	"Propose":    regexp.MustCompile(`(?i)\b(i (propose|suggest)|my (proposal|suggestion|recommendation)|let'?s|let us|how about|what (about|if)|we (could|should))\b`),
	"Compromise": regexp.MustCompile(`(?i)\b(compromise|middle (way|ground)|meet (you |each other )?halfway|in return|if you (give|leave|let|take)|trade|split the difference|both of us)\b`),
	"Defend":     regexp.MustCompile(`(?i)\b(i (still|insist|maintain|stand by|stick)|as i said|keep(ing)? (to )?my|nevertheless)\b`),
	"Accept":     regexp.MustCompile(`(?i)\b(i (can |could |will |would )?(accept|agree)|agreed|works for me|fine with me|i support|deal)\b`),
	"Decline":    regexp.MustCompile(`(?i)\b(i (can ?not|can'?t|will not|won'?t|do not|don'?t) (accept|agree|support)|disagree|decline|reject|no deal|refuse)\b`),
	"Inform":     regexp.MustCompile(`(?i)\d|\b(my|mine|i (have|need|want|value|know|found|like)|the (user|movie|film|present plan|plan|average)|nothing is settled)\b`),
}

// Complete answers the document of the last message, without looking at anything else.
func (rules) Complete(_ context.Context, r model.Request) (model.Response, error) {
	var q Question
	err := errors.New("no question")
	if len(r.Messages) > 1 { // after those that tell what to fix, which rules never need
		err = json.Unmarshal([]byte(r.Messages[1].Content), &q)
	}
	if err != nil {
		return model.Response{}, &model.Error{Class: model.Fail, Provider: "scripted", Code: "no_question",
			Message: err.Error(), Unbilled: true}
	}
	text, err := json.Marshal(map[string][]string{"acts": q.byRules()})
	return model.Response{Text: text, Model: Rules, FinishReason: "stop"}, err
}

// byRules returns the acts whose signs the message has. What was said in the same
// words in the round before informs nobody; a refusal is not a consent.
func (q Question) byRules() []string {
	var acts []string
	for _, act := range record.Acts {
		sign, ok := signs[act]
		if !ok || !sign.MatchString(q.Message.Text) {
			continue
		}
		if act == "Inform" && q.isRepeat() || act == "Accept" && signs["Decline"].MatchString(q.Message.Text) {
			continue
		}
		acts = append(acts, act)
	}
	if acts == nil {
		acts = []string{"Others"}
	}
	return acts
}

func (q Question) isRepeat() bool { return slices.Contains(q.Before, q.Message) }
