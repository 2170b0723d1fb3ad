// Package campaign is what a lake holds of a campaign next to its answers and rows: its plan,
// the manifest that says how it is run, who labels its messages, which runs are requested
// again, why it halted, and what it has spent.
//
// Spending sums what calls took: money, tokens and time, by condition, model, phase or tier,
// and what labels and embeddings did. It counts every committed generation, for all were paid;
// what is not known (a price, the outcome of a call, what it has used) is counted beside the
// sums and never guessed; and a service that changed the model behind a name while the
// campaign ran is named.
//
// A Book is a code book: which labels a message or a collaboration can have, and what they
// mean, to models and to people who code by hand. The acts of paper 1, the failure modes of
// MAST and the errors behind problem drift are built in.
package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// Plan is one revision of a campaign as recorded in the lake: all that any
// worker needs to take part in it.
type Plan struct {
	Campaign plan.Campaign `json:"campaign"`
	Edition  int           `json:"edition"`           // of the built-in prompts
	Changed  []string      `json:"changed,omitempty"` // flags of the command line that changed the file
	Paths    `json:"-"`
	Files    map[string]string `json:"files,omitempty"` // SHA-256 of what environments read in the data set
	// PrivateData keeps the files themselves out of the lake: see RecordData.
	PrivateData bool                         `json:"private_data,omitempty"`
	Agents      []int                        `json:"agents"` // by condition
	Rounds      []int                        `json:"rounds"` // by condition
	Packs       map[string]map[string]string `json:"packs"`  // templates of prompts by path, by the hash of their pack
	Pack        []string                     `json:"pack"`   // hash by condition
}

// HashPack returns the hash that identifies a pack of templates in every row.
func HashPack(pack map[string]string) string {
	data, err := json.Marshal(pack) // sorted by path
	if err != nil {
		panic("campaign: " + err.Error()) // a map of strings always marshals
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// PlanKey returns the key of a recorded revision of the plan.
func PlanKey(campaign, revision string) string {
	return lake.AboutKey(campaign, "plans/"+revision+".json")
}

// WritePlan records a revision of a plan, and its Paths outside of the lake. An existing revision
// stays: a campaign continues with the prompts that it began with.
func WritePlan(ctx context.Context, s store.Store, p Plan) error {
	if err := keepPaths(s, p); err != nil {
		return err
	}
	data, err := json.Marshal(p) // indenting would change the identities that are in it
	if err != nil {
		return err
	}
	err = s.PutIfAbsent(ctx, PlanKey(p.Campaign.Name, p.Campaign.Revision()), data)
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// ReadPlan returns a recorded revision of a campaign's plan.
func ReadPlan(ctx context.Context, s store.Store, campaign, revision string) (Plan, error) {
	if revision == ImportedRevision {
		return Plan{}, fmt.Errorf("%s: %w", campaign, ErrImported)
	}
	data, err := s.Get(ctx, PlanKey(campaign, revision))
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return Plan{}, fmt.Errorf("%s: %w", PlanKey(campaign, revision), err)
	}
	if p.Paths, err = readPaths(s, campaign); err != nil {
		return Plan{}, err
	}
	return p, p.check(campaign, revision)
}

// ReadPlans returns all recorded revisions of a campaign's plan, in the order of their names.
func ReadPlans(ctx context.Context, s store.Store, campaign string) ([]Plan, error) {
	objects, err := lake.List(ctx, s, lake.AboutKey(campaign, "plans/"))
	if err != nil {
		return nil, err
	}
	var all []Plan
	for _, o := range objects {
		revision, ok := strings.CutSuffix(path.Base(o.Key), ".json")
		if !ok {
			continue
		}
		p, err := ReadPlan(ctx, s, campaign, revision)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// check compares what was read with its names: another seed or prompt would
// give rows that look like the campaign's and are not.
func (p Plan) check(campaign, revision string) error {
	sound := p.Campaign.Name == campaign && p.Campaign.Revision() == revision
	for hash, pack := range p.Packs {
		sound = sound && HashPack(pack) == hash
	}
	if n := len(p.Campaign.Conditions); len(p.Pack) != n || len(p.Agents) != n || len(p.Rounds) != n ||
		!p.Campaign.HasSoundInstances() {
		sound = false
	}
	if !sound {
		return fmt.Errorf("%s: %w: the plan does not match its hash", PlanKey(campaign, revision), store.ErrCorrupt)
	}
	return nil
}

// Located returns m with the path of its file or program, if it names one, made independent of the
// working directory.
func (p Plan) Located(m plan.Choice) plan.Choice {
	if m.Name == plan.ProgramPolicy {
		return p.locatedPolicy(m)
	}
	var params map[string]json.RawMessage
	var file string
	if !strings.HasPrefix(m.Name, "replay/") || json.Unmarshal(m.Params, &params) != nil ||
		json.Unmarshal(params["file"], &file) != nil || file == "" || filepath.IsAbs(file) {
		return m
	}
	params["file"], _ = json.Marshal(filepath.Join(p.Folder, file)) // a text always marshals
	m.Params, _ = json.Marshal(params)
	return m
}

// locatedPolicy returns a scripted agent that a program plays, with the folder in which
// the program is started.
func (p Plan) locatedPolicy(m plan.Choice) plan.Choice {
	var params, policy map[string]json.RawMessage
	if json.Unmarshal(m.Params, &params) != nil || json.Unmarshal(params["policy"], &policy) != nil || policy == nil {
		return m // building it says what is wrong
	}
	policy["folder"], _ = json.Marshal(p.Folder) // texts always marshal
	params["policy"], _ = json.Marshal(policy)
	m.Params, _ = json.Marshal(params)
	return m
}

// CheckPlanned returns an error if collaborations have ended that the campaign's plan does not
// have, since the lake then mixes diverged copies of the campaign, or if fewer are found than the
// lake says have ended, since some stores list objects late. It ignores campaigns without a
// readable plan; imported ones must have all their transcripts.
func CheckPlanned(ctx context.Context, s store.Store, name string) error {
	p, m, err := ReadRecorded(ctx, s, name)
	if errors.Is(err, ErrImported) && m.Imported != nil {
		return checkImported(ctx, s, m)
	}
	if err != nil {
		return nil //nolint:nilerr // who reads it says so
	}
	if err := CheckStarts(ctx, s, name); err != nil {
		return err
	}
	ended, err := lake.Ended(ctx, s, name)
	if err != nil {
		return err
	}
	is := p.Campaign.Contains()
	found := map[string]bool{}
	var strange []string
	for _, run := range ended {
		if found[run.Collaboration] = true; !is(run.Collaboration) {
			strange = append(strange, run.Collaboration)
		}
	}
	if len(strange) == 0 {
		return checkWhole(ctx, s, p.Campaign, len(found))
	}
	return fmt.Errorf("the lake has %d collaborations of %s that its plan does not have, such as %s: "+
		"two copies of the campaign were put together; keep each in a lake of its own (roundtable verify %s lists them)",
		len(strange), name, strange[0], name)
}

// checkImported returns an error if an import was interrupted.
func checkImported(ctx context.Context, s store.Store, m Manifest) error {
	ended, err := lake.Ended(ctx, s, m.Campaign)
	if err != nil || len(ended) >= m.Imported.Transcripts {
		return err
	}
	return fmt.Errorf("%s was not imported whole: the lake has %d of its %d transcripts; the same import again adds the rest",
		m.Campaign, len(ended), m.Imported.Transcripts)
}

// checkWhole returns an error if fewer collaborations are found than must have ended.
func checkWhole(ctx context.Context, s store.Store, p plan.Campaign, found int) error {
	success, err := lake.ReadSuccess(ctx, s, p.Name)
	switch {
	case errors.Is(err, store.ErrCorrupt): // verify says so
		return nil
	case err != nil || success.Revision != p.Revision() || found >= p.Size():
		return err
	}
	return fmt.Errorf("the lake says that all %d collaborations of %s have ended, and lists %d of them: if the store "+
		"lists new objects late, try again in a moment; else roundtable verify %s says what is missing", p.Size(),
		p.Name, found, p.Name)
}
