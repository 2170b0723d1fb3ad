// Package scoring has final decisions scored by a program of the user's (one JSON line
// in, one out) or by a model with a rubric, the judge. Each distinct question is asked
// once a campaign: a program's result is stored under the campaign, a judgement is paid
// for and stored as turns are, in an entry of its own of the ledger.
package scoring

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"roundtable/activities/failure"
	"roundtable/activities/programs"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
)

// Scores has programs score decisions.
type Scores struct {
	store   store.Store
	running *semaphore.Weighted // programs at once
	pause   time.Duration       // before a program that failed is tried again; it doubles
	asked   singleflight.Group  // by key: equal questions at the same time are one
}

// NewScores returns a Scores that stores its results in store.
func NewScores(store store.Store) *Scores {
	return &Scores{
		store: store, running: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))), pause: 100 * time.Millisecond,
	}
}

// Result is a program's stored score of a decision.
type Result struct {
	Command []string        `json:"command"`
	Request json.RawMessage `json:"request"`
	Score   float64         `json:"score"`
	Why     string          `json:"why,omitempty"`
}

// tries of a program that fails.
const tries = 3

// Folder returns the folder of the scores that programs gave in a campaign.
func Folder(campaign string) string { return lake.AboutKey(campaign, "scores/") }

// keyOf returns where the result of a request is stored.
func keyOf(campaign string, words []string, request json.RawMessage) string {
	command, err := json.Marshal(words)
	if err != nil {
		panic("scores: " + err.Error()) // texts always marshal
	}
	sum := sha256.Sum256(append(append(command, '\n'), request...))
	return Folder(campaign) + hex.EncodeToString(sum[:16]) + ".json"
}

// Score returns the stored score, or runs the program of r in folder, from which relative paths
// start, and stores its score. The error is failure.Unusable if it fails three times.
func (s *Scores) Score(ctx context.Context, campaign, folder string, r *envs.ScoreRequest) (*float64, error) {
	key := keyOf(campaign, r.Command, r.Input)
	score, err, _ := s.asked.Do(key, func() (any, error) {
		result, err := readResult(ctx, s.store, campaign, key)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return result.Score, err
		}
		if err := programs.CheckTrusted(folder, r.Command); err != nil {
			return nil, failure.NeedsOperator{Err: err}
		}
		if err := s.running.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer s.running.Release(1)
		if result, err = s.ask(ctx, folder, r); err != nil {
			return nil, err
		}
		data, err := lake.Seal(key, result)
		if err != nil {
			return nil, err
		}
		if err = s.store.PutIfAbsent(ctx, key, data); errors.Is(err, store.ErrExists) {
			result, err = readResult(ctx, s.store, campaign, key) // the first one counts
		}
		return result.Score, err
	})
	if err != nil {
		return nil, err
	}
	return new(score.(float64)), nil
}

// readResult reads a stored result. One that is not as it was written, or of another question, is
// store.ErrCorrupt.
func readResult(ctx context.Context, s store.Store, campaign, key string) (r Result, err error) {
	data, err := s.Get(ctx, key)
	if err == nil {
		err = lake.Unseal(key, data, &r)
	}
	if err == nil && keyOf(campaign, r.Command, r.Request) != key {
		err = fmt.Errorf("%s: %w: it scores another answer than its name says", key, store.ErrCorrupt)
	}
	return r, err
}

// Scored holds the stored scores of a campaign's programs, by question and answer.
type Scored map[ScoredCase][]float64

// ScoredCase is an answer to a question. Its answer is empty if a program was asked without one.
type ScoredCase struct{ Question, Answer string } // the id; as Comparable has it

// Comparable returns an answer in one form, equal for a program's question and a row: A for "A" and
// "(A)", AC for ["A","C"] and "(A)(C)", 2.5 for 2.5 and "2.50".
func Comparable(answer any) string {
	text := strings.NewReplacer("(", "", ")", "", "[", "", "]", "", " ", "").Replace(fmt.Sprint(answer))
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return fmt.Sprint(f)
	}
	return text
}

// ReadScored returns the stored scores of a campaign's programs, and which of them are damaged.
func ReadScored(ctx context.Context, s store.Store, campaign string) (all Scored, findings []lake.Finding, err error) {
	objects, err := lake.List(ctx, s, Folder(campaign))
	if err != nil {
		return nil, nil, err
	}
	all = Scored{}
	for _, o := range objects {
		r, err := readResult(ctx, s, campaign, o.Key)
		var of struct {
			ID     string `json:"id"`
			Answer any    `json:"answer"`
		}
		if err == nil {
			err = json.Unmarshal(r.Request, &of)
		}
		if err != nil {
			findings = append(findings, lake.NewFinding(o.Key, err))
			continue
		}
		key := ScoredCase{Question: of.ID}
		if of.Answer != nil {
			key.Answer = Comparable(of.Answer)
		}
		all[key] = append(all[key], r.Score)
	}
	return all, findings, nil
}

// ask runs the program until it gives a score, at most three times.
func (s *Scores) ask(ctx context.Context, folder string, r *envs.ScoreRequest) (Result, error) {
	var failed error
	for try := range tries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return Result{}, ctx.Err()
			case <-time.After(s.pause << try):
			}
		}
		out, err := programs.Run(ctx, folder, r.Command, r.Timeout, r.Input)
		if err != nil && !errors.As(err, new(failure.Unusable)) {
			return Result{}, err
		}
		if err == nil {
			var result Result
			if result.Score, result.Why, err = parseScore(out); err == nil {
				result.Command, result.Request = r.Command, r.Input
				return result, nil
			}
		}
		failed = err
	}
	return Result{}, failure.Unusable{Err: fmt.Errorf("the scorer %s, %s: %w (%d tries); expected one line %s",
		r.Command[0], r.About, failed, tries, acceptedLine)}
}

const acceptedLine = `{"score": 0.5, "why": "…"} with a score from 0 to 1, and exit code 0`

// parseScore reads what a program wrote: the last line that is not empty.
func parseScore(out []byte) (score float64, why string, err error) {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	var line struct {
		Score *float64 `json:"score"`
		Why   string   `json:"why"`
	}
	switch err := json.Unmarshal([]byte(last), &line); {
	case last == "":
		return 0, "", errors.New("it wrote nothing")
	case err != nil || line.Score == nil:
		return 0, "", fmt.Errorf("it wrote %q", prompt.Clean([]byte(last), 200))
	case !(*line.Score >= 0 && *line.Score <= 1):
		return 0, "", fmt.Errorf("its score is %v", *line.Score)
	}
	return *line.Score, prompt.Clean([]byte(line.Why), 4000), nil
}
