package ledger

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Prefixes of the names of the ledger's folders whose calls belong to no collaboration.
const (
	CheckPrefix      = "check-"
	EmbeddingsPrefix = "embeddings-"
	JudgePrefix      = "judge-" // then the judge's id, and a hash of the question
)

// LabelsPrefix begins the ledger's folders with the labels of a collaboration; the labeller's id
// and the collaboration's follow.
const LabelsPrefix = "labels-"

// SharedCalls are the calls in a campaign's ledger that belong to no collaboration.
type SharedCalls struct {
	Checks     []record.Call
	Embeddings map[string][]record.Call // by the embedder's id
	Judgements map[string][]record.Call // by the judge's id
}

// ReadShared returns the calls that belong to no collaboration.
func (b *Books) ReadShared(ctx context.Context) (SharedCalls, error) {
	shared := SharedCalls{Embeddings: map[string][]record.Call{}, Judgements: map[string][]record.Call{}}
	runs, err := b.begun()
	if err != nil {
		return shared, err
	}
	for _, run := range runs {
		of, name := shared.callsIn(run.Collaboration)
		if of == nil && name == "" {
			continue
		}
		stored, err := b.answers.Load(ctx, run)
		if err != nil {
			return shared, err
		}
		calls := stored.Calls(record.Key{CampaignID: b.campaign, CollaborationID: run.Collaboration})
		if of == nil {
			shared.Checks = append(shared.Checks, calls...)
		} else {
			of[name] = append(of[name], calls...)
		}
	}
	return shared, nil
}

// callsIn returns which calls a folder of the ledger holds, and whose: nil and its name
// for checks of models, nil and nothing for those of a collaboration.
func (s SharedCalls) callsIn(name string) (of map[string][]record.Call, by string) {
	if strings.HasPrefix(name, CheckPrefix) {
		return nil, name
	}
	if id, ok := strings.CutPrefix(name, EmbeddingsPrefix); ok {
		return s.Embeddings, idOf(id)
	}
	if id, ok := strings.CutPrefix(name, JudgePrefix); ok && JudgeOf(name) != "" {
		return s.Judgements, idOf(id)
	}
	return nil, ""
}

// idOf returns a folder's name without what follows its last hyphen.
func idOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '-'))] }

// ofCollaboration are the folders of collaborations, by their instance and replicate.
var ofCollaboration = regexp.MustCompile(`-i\d+-r\d+$`)

// isCollaboration reports whether a folder of the ledger is that of a collaboration.
func isCollaboration(name string) bool {
	return ofCollaboration.MatchString(name) && !strings.HasPrefix(name, LabelsPrefix)
}

var judgeFolder = regexp.MustCompile(`^judge-(.+-[0-9a-f]{8})-[0-9a-f]{20}$`)

// JudgeOf returns the id of the judge whose judgements the ledger's folder name holds; "" if it
// holds something else, such as a collaboration under the rule judge, whose name is similar.
func JudgeOf(name string) string {
	found := judgeFolder.FindStringSubmatch(name)
	if found == nil {
		return ""
	}
	return found[1]
}

// lookedAt is how many collaborations EarlyAnswers looks at, apart from the checks.
const lookedAt = 20

// EarlyAnswers returns the answers of a campaign's checks, and those in the first few of its other
// folders, both without answers from the cache.
func EarlyAnswers(ctx context.Context, s store.Store, campaign string) (checks, others []answers.Answer, err error) {
	stored := answers.NewAnswers(s)
	runs, err := stored.Runs(ctx, campaign)
	if err != nil {
		return nil, nil, err
	}
	looked := 0
	for _, p := range runs {
		into := &checks
		if !strings.HasPrefix(p.Collaboration, CheckPrefix) {
			if looked++; looked > lookedAt {
				continue
			}
			into = &others
		}
		stored, err := stored.Load(ctx, p)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			return nil, nil, err
		}
		for _, t := range stored.Turns {
			for _, answer := range t.Asks {
				if !answer.Cached {
					*into = append(*into, answer)
				}
			}
		}
	}
	return checks, others, nil
}
