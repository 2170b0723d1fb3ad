package planning

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/plan"
	"roundtable/workflows/stopping"
)

// FitRequest says which stopping method is fitted, and on which condition of a past campaign.
type FitRequest struct {
	Campaign  string
	Condition string            // id of a condition of the campaign
	Method    string            // one of stopping.MethodNames
	Alpha     *float64          // of the method e_process; nil is its default
	Labeller  string            // whose labels count, by id; "" for the only one
	Embedder  language.Embedder // of distances; only the method information_distance needs it
}

// FitRule fits a stopping method on the collaborations of a past campaign. The command that reads the file
// supplies it, because only readers of the lake can do it.
type FitRule func(ctx context.Context, s store.Store, r FitRequest) (stopping.LearnedFit, error)

// fitter fits the stopping rules of a file's conditions on campaigns of the lake.
type fitter struct {
	ctx     context.Context
	store   store.Store
	host    *campaignfile.Host
	prices  *providers.PriceList
	fitRule FitRule         // nil if nothing can be fitted
	said    map[string]bool // notices that were printed
}

// learn returns the fit of a condition: the recorded one, or a new one.
func (f *fitter) learn(campaign string, c plan.Condition, kept json.RawMessage) (json.RawMessage, error) {
	params, _, _ := c.Learned()
	if params.From == campaign {
		return nil, &campaignfile.FitError{Key: "from",
			Err: errors.New("is this campaign itself; name one that has ended")}
	}
	var fit stopping.LearnedFit
	var past plan.Condition
	var err error
	if kept != nil {
		if fit, err = stopping.ParseFit(kept); err == nil {
			err = f.compare(params, fit)
		}
	} else {
		fit, past, err = f.fit(params, c)
	}
	if err != nil {
		return nil, err
	}
	if err := f.checkAnnotator(campaign, fit); err != nil {
		return nil, err
	}
	if kept != nil {
		return kept, nil
	}
	f.printOnce(describeFit(fit, listDifferences(past, c)))
	if fit.On.EndedEarly > 0 {
		f.printOnce(warnSelected(fit.On, past))
	}
	return json.Marshal(fit)
}

// printOnce prints a line on standard error, once.
func (f *fitter) printOnce(line string) {
	if !f.said[line] {
		f.said[line] = true
		fmt.Fprintln(os.Stderr, line)
	}
}

// compare says if the campaign that a recorded fit rests on has changed since.
func (f *fitter) compare(params stopping.LearnedParams, fit stopping.LearnedFit) error {
	now, err := lake.ReadSuccess(f.ctx, f.store, params.From)
	if err != nil {
		return err
	}
	if now.Digest != fit.On.Digest {
		state := "is not in this lake or has not finished"
		if now.Digest != "" {
			state = fmt.Sprintf("has changed since (rows %.12s then, %.12s now)", fit.On.Digest, now.Digest)
		}
		f.printOnce(fmt.Sprintf("stop: campaign %s, on which %s was fitted, %s; the recorded fit is kept", params.From,
			params.Method, state))
	}
	return nil
}

// fit fits the method that a condition names, and returns the past condition that it is
// fitted on.
func (f *fitter) fit(params stopping.LearnedParams, c plan.Condition) (fit stopping.LearnedFit,
	of plan.Condition, err error) {
	past, m, err := campaign.ReadRecorded(f.ctx, f.store, params.From)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, campaign.ErrImported) {
		return fit, of, &campaignfile.FitError{Key: "from", Err: cli.NoCampaign(f.ctx, f.store, params.From)}
	}
	if err != nil {
		return fit, of, err
	}
	if of, err = pastCondition(past.Campaign, params, c); err != nil {
		return fit, of, err
	}
	asked := FitRequest{Campaign: params.From, Condition: of.ID(), Method: params.Method, Alpha: params.Alpha}
	if asked.Labeller, err = f.labellerOf(params, m); err != nil {
		return fit, of, err
	}
	if params.Method == stopping.MethodDistance {
		if _, err := providers.DistanceModel(m.Embedder, ""); err != nil {
			return fit, of, &campaignfile.FitError{Key: "method", Err: err}
		}
		e, err := providers.OpenEmbedder(f.store, m.Embedder)
		if err != nil {
			return fit, of, err
		}
		asked.Embedder = e
	}
	if f.fitRule == nil {
		return fit, of, errors.New("no stopping rule can be fitted here; the recorded fit is missing")
	}
	if fit, err = f.fitRule(f.ctx, f.store, asked); err != nil {
		if params.Method == stopping.MethodDialogueAct && fit.On.Labeller == "" &&
			strings.Contains(err.Error(), "dialogue acts") {
			err = fmt.Errorf("%w: roundtable label %s", err, params.From)
		}
		return fit, of, err
	}
	fit.Asks, err = f.annotatorOf(params, m, fit)
	return fit, of, err
}

// labellerOf returns whose labels a fit rests on: those that the file names, else those
// of the past campaign's file, if it has some; "" for the only ones.
func (f *fitter) labellerOf(params stopping.LearnedParams, m campaign.Manifest) (string, error) {
	if params.Method != stopping.MethodDialogueAct || params.Labeller != "" || m.Labels == nil {
		return params.Labeller, nil
	}
	known, err := lake.Labellers(f.ctx, f.store, params.From)
	if err != nil || !slices.Contains(known, m.Labels.ID()) {
		return "", err
	}
	return m.Labels.ID(), nil
}

// annotatorOf returns who annotates messages on the way: the labeller of the labels that the
// method was fitted on, or the embedder; nil if nobody is needed.
func (f *fitter) annotatorOf(params stopping.LearnedParams, m campaign.Manifest,
	fit stopping.LearnedFit) (json.RawMessage, error) {
	var a plan.Annotator
	switch fit.AnnotatorRole() {
	case "":
		return nil, nil
	case stopping.RoleLabeller:
		l, err := campaign.ReadLabelling(f.ctx, f.store, params.From, fit.On.Labeller)
		if err != nil {
			return nil, err
		}
		if l.Price != nil {
			f.prices.Suggest(l.Labeller.Name, *l.Price)
		}
		a = plan.Annotator{Model: l.Labeller, Generate: l.Generate, Reasks: l.Reasks, Words: l.Words}
	default:
		var err error
		if a.Model, err = providers.DistanceModel(m.Embedder, fit.On.Embedder); err != nil {
			return nil, err
		}
	}
	return json.Marshal(a)
}

// checkAnnotator checks that the labeller of a fit can be asked, at a known price: that
// of the file, or what the campaign or the past one has recorded.
func (f *fitter) checkAnnotator(name string, fit stopping.LearnedFit) error {
	if fit.AnnotatorRole() != stopping.RoleLabeller || f.host.Labeller == nil {
		return nil
	}
	var a plan.Annotator
	if err := json.Unmarshal(fit.Asks, &a); err != nil {
		return err
	}
	m, err := campaign.ReadManifest(f.ctx, f.store, name)
	if price, known := m.Prices[a.Model.Name]; err == nil && known {
		f.prices.Suggest(a.Model.Name, price)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.host.Labeller(plan.Labels{Model: a.Model, Generate: a.Generate, Reasks: a.Reasks},
		a.Model.Decode()); err != nil {
		return fmt.Errorf("the labeller %s, which the stopping rule asks on the way: %w", a.Model.Name, err)
	}
	return nil
}

// pastCondition returns the condition of a past campaign that a condition is fitted on:
// the one that the file names; else the one that differs in its stopping rule alone;
// else the only one with the same environment, protocol and rule; else the only one. Of
// several, the one that runs all rounds counts.
func pastCondition(past plan.Campaign, params stopping.LearnedParams, c plan.Condition) (plan.Condition, error) {
	var ids []string
	for _, p := range past.Conditions {
		if ids = append(ids, p.ID()); p.ID() == params.Condition {
			return p, nil
		}
	}
	if params.Condition != "" {
		return plan.Condition{}, &campaignfile.FitError{Key: "condition",
			Err: fmt.Errorf("campaign %s has no condition %q; it has %s", past.Name, params.Condition,
				wording.And(ids))}
	}
	alike := []func(p plan.Condition) bool{
		func(p plan.Condition) bool { p.Stop = c.Stop; return reflect.DeepEqual(p, c) },
		func(p plan.Condition) bool {
			return reflect.DeepEqual([]plan.Choice{p.Env, p.Protocol, p.Rule}, []plan.Choice{c.Env, c.Protocol, c.Rule})
		},
		func(plan.Condition) bool { return true },
	}
	for _, is := range alike {
		all := slices.DeleteFunc(slices.Clone(past.Conditions), func(p plan.Condition) bool { return !is(p) })
		whole := slices.DeleteFunc(slices.Clone(all), func(p plan.Condition) bool { return p.Stop.Name != "never" })
		for _, list := range [][]plan.Condition{whole, all} {
			if len(list) == 1 {
				return list[0], nil
			}
		}
	}
	return plan.Condition{}, fmt.Errorf("no single condition of campaign %s is like this one; name one with "+
		"condition: %s", past.Name, wording.Or(ids))
}

// listDifferences says in which of what a method was fitted on a past condition differs from the
// one that it is fitted for, apart from stopping rule and agents.
func listDifferences(past, c plan.Condition) (differs []string) {
	if past.Fork != nil {
		differs = append(differs, "a fork of "+past.Fork.Campaign)
	}
	for _, x := range []struct {
		what      string
		past, now plan.Choice
	}{{"environment", past.Env, c.Env}, {"protocol", past.Protocol, c.Protocol}, {"rule", past.Rule, c.Rule}} {
		switch {
		case x.past.Name != x.now.Name:
			differs = append(differs, fmt.Sprintf("%s %s, not %s", x.what, x.past.Name, x.now.Name))
		case !reflect.DeepEqual(x.past, x.now):
			differs = append(differs, "other parameters of the "+x.what)
		}
	}
	return differs
}

// warnSelected warns of a fit on those collaborations that were left when others had ended.
func warnSelected(on stopping.FittedOn, past plan.Condition) string {
	return fmt.Sprintf("stop: warning: %d of %d collaborations of %s (%s) ended before their last planned round "+
		"(stop: %s) and are left out. The rest is not a sample of all groups, so neither the fit nor what "+
		"cross-validation promises holds for the others. Fit on a campaign that runs all rounds (stop: never)",
		on.EndedEarly, on.Of, on.Campaign, on.Condition, past.Stop.Name)
}

// describeFit says in a line what was fitted, on what, in what that is unlike the
// condition, and what it promises.
func describeFit(fit stopping.LearnedFit, differs []string) string {
	on := fit.On
	count := wording.Count(on.Collaborations, "collaboration")
	if on.Of > 0 {
		count = fmt.Sprintf("%d of %s", on.Collaborations, wording.Count(on.Of, "collaboration"))
	}
	about := []string{on.Condition}
	if on.EndedEarly > 0 {
		about = append(about, fmt.Sprintf("%d ended earlier", on.EndedEarly))
	}
	if failed := on.Of - on.Collaborations - on.EndedEarly; failed > 0 {
		about = append(about, fmt.Sprintf("%d did not succeed", failed))
	}
	text := fmt.Sprintf("stop: %s fitted on %s of %s (%s): %s", fit.Method, count, on.Campaign,
		strings.Join(append(about, differs...), "; "), fittedText(fit.Fitted))
	if v := fit.Validated; v != nil && v.Score != nil && v.Baseline != nil {
		text += fmt.Sprintf("; cross-validated: score %.3f at round %.1f of %d on average, %.3f after all rounds",
			*v.Score, v.Round, fit.On.Rounds, *v.Baseline)
	}
	return text
}

// fittedText says when a fitted method stops.
func fittedText(f stopping.Fitted) string {
	switch {
	case f.Never != "":
		return "it never stops: " + f.Never
	case f.Round > 0:
		return fmt.Sprintf("it stops at round %d", f.Round)
	case f.Evidence != nil:
		return fmt.Sprintf("it stops talk that will not pay, and at most %v of the groups that talk improves (in "+
			"%v of all samples)", f.Evidence.Alpha, 1-f.Evidence.Delta)
	case f.Threshold != nil:
		return fmt.Sprintf("it stops below the distance %.3f", *f.Threshold)
	case len(f.Signals) > 0:
		var pairs []string
		for _, s := range f.Signals {
			pairs = append(pairs, s.Pair.String())
		}
		return fmt.Sprintf("it stops when %s of %s occur %s in a round",
			cmp.Or(map[int]string{1: "one"}[f.Score], fmt.Sprint(f.Score)), wording.And(pairs), timesText(f.Count))
	}
	return "nothing is learned"
}

func timesText(n int) string {
	if n == 1 {
		return "at least once"
	}
	return fmt.Sprintf("at least %d times", n)
}
