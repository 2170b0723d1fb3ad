package scoring

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/activities/setup"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// Judging has judges score decisions.
type Judging struct {
	answers *answers.Answers
	caller  *calls.Caller
	taker   *calls.Taker
}

// NewJudging returns a Judging that asks through c and t.
func NewJudging(a *answers.Answers, c *calls.Caller, t *calls.Taker) *Judging {
	return &Judging{answers: a, caller: c, taker: t}
}

// Decision is a final decision for a judge to score.
type Decision struct {
	Campaign   string
	Generation int // of its collaboration
	Key        string
	Judge      *setup.Judge
	Case       *envs.JudgeCase
}

// Messages returns a judge's prompt about decision c; words are its instructions. The texts are
// inside a JSON document, so text of an answer cannot inject instructions.
func Messages(words string, c *envs.JudgeCase) []model.Message {
	document, err := json.Marshal(c) // with <, > and & escaped: no answer can look like a mark
	if err != nil {
		panic("judging: " + err.Error()) // texts always marshal
	}
	return []model.Message{{Role: "system", Content: words}, {Role: "user", Content: string(document)}}
}

// runOf returns the key under which the judgements of a decision are stored. Another
// generation of a collaboration asks again only for what could not be used.
func runOf(d Decision, messages []model.Message) answers.RunKey {
	sum := sha256.Sum256([]byte(prompt.Hash(messages) + "\n" + messages[1].Content))
	return answers.RunKey{Campaign: d.Campaign, Collaboration: ledger.JudgePrefix + d.Judge.ID + "-" +
		hex.EncodeToString(sum[:10])}
}

// Score returns the score of d as a share from 0 to 1, the mean of the judge's samples; those not
// stored yet are asked for. The error is failure.Unusable if the judge gives none.
func (j *Judging) Score(ctx context.Context, d Decision) (*float64, error) {
	messages := Messages(d.Judge.Words, d.Case)
	run := runOf(d, messages)
	sum := 0.
	for sample := range d.Judge.Samples {
		share, err := j.sample(ctx, d, run, sample, messages)
		if err != nil {
			return nil, err
		}
		sum += share
	}
	return new(sum / float64(d.Judge.Samples)), nil
}

// sample returns one judgement: the first usable one of the generations so far.
func (j *Judging) sample(ctx context.Context, d Decision, run answers.RunKey, sample int,
	messages []model.Message) (float64, error) {
	var t answers.Turn
	var err error
	for run.Generation = 0; run.Generation <= d.Generation; run.Generation++ {
		if t, err = j.storedJudgement(ctx, d, run, sample); err != nil {
			return 0, err
		}
		if t.Done && t.Act.Status == transcript.Invalid {
			continue
		}
		if !t.Done && run.Generation < d.Generation && len(t.Asks) == 0 {
			continue
		}
		break
	}
	run.Generation = min(run.Generation, d.Generation)
	if !t.Done {
		if t, err = j.ask(ctx, d, run, sample, messages); err != nil {
			return 0, err
		}
	}
	if t.Act.Status == transcript.Invalid {
		return 0, failure.Unusable{Err: fmt.Errorf("the judge %s, %s: %s (%d asks)", d.Judge.Model.Name, d.Case.About,
			t.InvalidReason, len(t.Asks))}
	}
	judged, err := ReadJudged(t)
	return judged.Share, err
}

// storedJudgement returns what is stored of a judgement.
func (j *Judging) storedJudgement(ctx context.Context, d Decision, run answers.RunKey,
	sample int) (answers.Turn, error) {
	if d.Judge.Provider.Instant {
		if batch, err := j.answers.Batch(ctx, run, sample); err != nil || len(batch) > 0 {
			return append(batch, answers.Turn{})[0], err
		}
	}
	return j.answers.Turn(ctx, run, sample)
}

func (j *Judging) ask(ctx context.Context, d Decision, run answers.RunKey, sample int,
	messages []model.Message) (answers.Turn, error) {
	q := questionAbout(d, run, sample, messages)
	if !d.Judge.Provider.Instant {
		return j.taker.TakeTurnOnce(ctx, q)
	}
	t, err := calls.Instant(ctx, q, &j.caller.Meter)
	if err != nil {
		return t, err
	}
	kept, err := j.answers.PutBatch(ctx, run, []answers.Turn{t})
	if err != nil {
		return t, err
	}
	return kept[0], nil
}

// questionAbout about one decision.
func questionAbout(d Decision, run answers.RunKey, sample int, messages []model.Message) calls.Question {
	judge := d.Judge
	q := calls.Question{
		Order: calls.Order{
			Run: run, Entry: sample, Provider: judge.Provider, Messages: messages, Longest: judge.Generate.MaxTokens,
		},
		Speaker: Role, Reasks: judge.Reasks, Form: scoreForm(judge.Scale), Hash: prompt.Hash(messages),
	}
	q.Read = func(raw []byte, t *answers.Turn) error {
		score, why, err := Parse(raw, judge.Scale)
		if err == nil {
			_, err = prompt.CheckCopied(raw, messages[:1], q.Form) // the document is not the form
		}
		if err != nil {
			return err
		}
		t.Act, t.Text = transcript.Act{Status: transcript.Said}, why
		t.Proposal = Judged{Question: d.Case.ID, Decision: d.Key, Score: score, Share: judge.Share(score)}.encode()
		return nil
	}
	q.Request = func(before []answers.Answer) model.Request {
		return q.After(before, model.Parameters(judge.Generate), "score")
	}
	q.CacheKey = func(r model.Request, mode string, ask int) (string, error) {
		return answers.CacheKey(answers.Question{
			Model: judge.Provider.Name, Sent: r, Mode: mode,
			Speaker: transcript.Speaker{Role: Role}, Sample: sample, Ask: ask,
		})
	}
	return q
}

// Role is the speaker's role when a judge scores; no protocol has a role of this name.
const Role = "scorer"
