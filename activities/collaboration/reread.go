package collaboration

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/programs"
	"roundtable/activities/prompt"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/envs/program"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Reader reads recorded collaborations: what they were about, and how their models were asked. It
// makes no calls.
type Reader struct {
	store   store.Store
	answers *answers.Answers
	plans   *setup.Plans
}

// NewReader returns a reader of the lake s, whose campaigns can name these plug-ins.
func NewReader(s store.Store, plugins catalogue.Catalogue) *Reader {
	named := func(m plan.Choice, _ plan.Condition, _ envs.Environment) (model.Provider, error) {
		return model.Provider{Name: m.Name}, nil
	}
	sources := setup.Sources{Data: setup.OpenFolder, Lake: s, Programs: programs.New(s).Recorded}
	return &Reader{s, answers.NewAnswers(s), setup.NewPlans(s, plugins, sources, named)}
}

// Asked is one asked entry, with its prompt and answers.
type Asked struct {
	Entry    int
	Prompt   []model.Message // of the first question, rendered again; nil if that cannot be done
	Recorded string          // the hash of the prompt that was sent; "" if none is recorded
	Asks     []answers.Answer
}

// IsSame reports whether Prompt, as rendered now, is the prompt that was sent.
func (a Asked) IsSame() bool { return a.Prompt != nil && prompt.Hash(a.Prompt) == a.Recorded }

// Answers returns the asked entries of a collaboration with their answers, without prompts.
func (r *Reader) Answers(ctx context.Context, of record.Key) ([]Asked, error) {
	stored, err := r.answers.Load(ctx, runKeyOf(of))
	var all []Asked
	for _, t := range stored.Turns {
		all = append(all, Asked{Entry: t.Entry, Recorded: t.PromptHash, Asks: t.Asks})
	}
	return all, err
}

// Prompts renders the prompts of a collaboration again, from the recorded
// templates and the stored answers. With an error come those before it. Turns that a fork
// has from an original with other settings have none: the original's have them.
func (r *Reader) Prompts(ctx context.Context, of record.Key) ([]Asked, error) {
	c, err := r.begin(ctx, of)
	if err != nil {
		return nil, err
	}
	stored, err := r.answers.Load(ctx, c.Run)
	if err != nil {
		return nil, err
	}
	var all []Asked
	for _, t := range stored.Turns {
		if len(t.Asks) == 0 { // the environment gave it, in an early version
			if err := c.Record(t); err != nil {
				return all, err
			}
			continue
		}
		asked := Asked{Entry: t.Entry, Recorded: t.PromptHash, Asks: t.Asks}
		step, pending := c.pendingStep(t.Entry)
		if !pending {
			return all, c.missingEntry(t.Entry)
		}
		// else the original's settings made it
		if f := c.Condition.Fork; f == nil || len(f.Was) == 0 || !c.Session.InPrefix() {
			q, err := c.renderQuestion(t.Entry, step)
			if err != nil {
				return all, err
			}
			asked.Prompt = q.Messages
		}
		all = append(all, asked)
		if !t.Done {
			continue
		}
		if err := c.Record(t); err != nil {
			return all, err
		}
	}
	return all, nil
}

// Unfinished returns a collaboration that has not ended, as stored now. With an error it returns as
// much as could be read; nil if nothing could.
func (r *Reader) Unfinished(ctx context.Context, of record.Key) (*Collaboration, error) {
	c, unbegun := r.begin(ctx, of)
	if c == nil {
		return nil, unbegun
	}
	stored, err := r.answers.Load(ctx, c.Run)
	if errors.Is(err, store.ErrCorrupt) { // or it was listed without an object that was just written
		stored, err = r.answers.Load(ctx, c.Run)
	}
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return nil, err
	}
	return c, cmp.Or(c.replay(stored, unbegun), err)
}

// About is what a collaboration is about: its question and facts.
type About struct {
	// as far as its environment and its protocol say: the question, its right answer, personas that were given
	Facts    []envs.Fact
	Task     string         // that agents are given; "" if the environment asks a question or has facts
	Question *envs.Question // as it was dealt; nil if it was none
	instance envs.Instance
}

// Worth returns the score of proposal. known is false if it is not a proposal, if a program or a
// judge scores final decisions only, or if the environment is a program that was never asked.
func (a About) Worth(proposal string) (worth envs.Score, known bool) {
	if a.instance == nil { // it was imported
		return envs.Score{}, false
	}
	defer func() {
		if failed := recover(); failed != nil {
			if _, unasked := failed.(program.Failed); !unasked {
				panic(failed)
			}
		}
	}()
	p, err := a.instance.Parse([]byte(proposal))
	if err != nil {
		return envs.Score{}, false
	}
	if outside, ok := a.instance.(envs.Outside); ok && outside.ScoreRequest(p) != nil {
		return envs.Score{}, false
	}
	if judged, ok := a.instance.(envs.Judged); ok && judged.JudgeCase(p) != nil {
		return envs.Score{}, false
	}
	return a.instance.Score(p), true
}

// About returns what the collaboration of key of was about.
func (r *Reader) About(ctx context.Context, of record.Key) (About, error) {
	c, err := r.begin(ctx, of)
	if errors.Is(err, campaign.ErrImported) { // its first messages say it
		return About{}, nil
	}
	if err != nil {
		return About{}, err
	}
	about := About{instance: c.Instance}
	if explained, ok := c.Instance.(envs.Explained); ok {
		about.Facts = explained.Facts()
	}
	if asked, ok := c.Instance.(envs.Questioned); ok {
		about.Question = new(asked.Question())
	}
	if _, explains := c.Instance.(envs.Explained); !explains && about.Question == nil {
		if system, err := c.Condition.Templates.RenderRoleSystem(c.Instance.Observe(0)); err == nil {
			about.Task = system.Task // a template that fails has its error where its prompt is shown
		}
	}
	var seated []string
	for i, a := range c.Seated {
		seated = append(seated, c.Instance.Agents()[i].Name+": "+a.String())
	}
	if len(seated) > 0 {
		about.Facts = append(about.Facts, envs.Fact{Name: "Agents", Text: strings.Join(seated, "\n")})
	}
	var personas []string
	for _, p := range prompt.ListPersonas(c.Session.Protocol(), c.Instance) {
		personas = append(personas, p.Agent+": "+p.Text)
	}
	if len(personas) > 0 {
		about.Facts = append(about.Facts, envs.Fact{Name: "Personas", Text: strings.Join(personas, "\n")})
	}
	return about, nil
}

// Instances returns the instances of a campaign, by condition and index. Instances dealt at random,
// and those of programs that were never asked, have no row.
func (r *Reader) Instances(ctx context.Context, name string) ([]record.Instance, error) {
	camp, _, err := r.load(ctx, name)
	if err != nil {
		return nil, err
	}
	var all []record.Instance
	for i, c := range camp.Conditions {
		for _, n := range camp.Campaign.InstancesOf(i) {
			instance, err := c.Environment.Instance(camp.Campaign.Seed, n)
			if failure.IsUnasked(err) {
				continue
			} else if err != nil {
				return nil, fmt.Errorf("instance %d of the environment %s: %w", n, c.Env.Name, err)
			}
			row := record.Instance{CampaignID: name, ConditionID: c.ConditionID, Instance: int32(n),
				Environment: c.Env.Name, InstanceID: instance.ID()}
			if fillQuestion(&row, instance) {
				all = append(all, row)
			}
		}
	}
	return all, nil
}

// fillQuestion fills in what an instance asks; false if it is not a question.
func fillQuestion(row *record.Instance, instance envs.Instance) bool {
	if known, ok := instance.(envs.Identified); ok {
		row.InstanceHash = record.Optional(known.Identity())
	}
	if asked, ok := instance.(envs.Questioned); ok {
		q := asked.Question()
		row.Source, row.Question, row.Context = record.Optional(q.Source), record.Optional(q.Text),
			record.Optional(q.Context)
		row.OptionsJSON, row.KeyJSON = listJSON(q.Options), q.KeyJSON()
		return true
	}
	explained, ok := instance.(envs.Explained)
	if !ok {
		return false
	}
	var told []string
	for _, f := range explained.Facts() {
		told = append(told, f.Name+": "+f.Text)
	}
	row.Question = record.Optional(strings.Join(told, "\n"))
	return len(told) > 0
}

// listJSON returns a list as JSON; nil if it is empty.
func listJSON(list []string) *string {
	if len(list) == 0 {
		return nil
	}
	data, _ := json.Marshal(list) // texts always marshal
	return new(string(data))
}

// load returns the campaign as it is recorded now, with its revision. What pauses a run is
// an error like others for a reader.
func (r *Reader) load(ctx context.Context, name string) (*setup.Campaign, string, error) {
	m, err := campaign.ReadManifest(ctx, r.store, name)
	if err != nil {
		return nil, "", err
	}
	camp, err := r.plans.Load(ctx, name, m.Revision)
	if errors.As(err, new(*failure.Failure)) {
		err = errors.New(failure.Text(err))
	}
	return camp, m.Revision, err
}

// begin returns the recorded collaboration before its first turn. With an error of its
// environment or protocol it has no session, see Begin.
func (r *Reader) begin(ctx context.Context, of record.Key) (*Collaboration, error) {
	camp, revision, err := r.load(ctx, of.CampaignID)
	if err != nil {
		return nil, err
	}
	ref := task.Ref{Campaign: of.CampaignID, Revision: revision, Generation: int(of.Generation)}
	ref.Cell.Condition = slices.IndexFunc(camp.Conditions,
		func(c *setup.Condition) bool { return c.ConditionID == of.ConditionID })
	_, err = fmt.Sscanf(strings.TrimPrefix(of.CollaborationID, of.ConditionID), "-i%d-r%d", &ref.Cell.Instance,
		&ref.Cell.Replicate)
	if err != nil || ref.Cell.Condition < 0 || camp.CollaborationID(ref) != of.CollaborationID {
		return nil, fmt.Errorf("%s is not in the recorded plan of %s", of.CollaborationID, of.CampaignID)
	}
	return Begin(camp, ref, runKeyOf(of))
}

func runKeyOf(of record.Key) answers.RunKey {
	return answers.RunKey{Campaign: of.CampaignID, Collaboration: of.CollaborationID, Generation: int(of.Generation)}
}
