// Package integrity checks everything that a campaign has stored: checksums, row
// digests, counts against the plan, decisions against their ballots, settlements
// and the lake's cache. It changes nothing.
package integrity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"roundtable/activities/answers"
	"roundtable/activities/asking"
	"roundtable/activities/batch"
	"roundtable/activities/commits"
	"roundtable/activities/ledger"
	"roundtable/activities/programs"
	"roundtable/activities/scoring"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/attestation"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// Verification is what verify found.
type Verification struct {
	lake.Report
	OK       bool   `json:"ok"`
	Revision string `json:"revision,omitempty"` // of the plan; empty if there is none
	Imported bool   `json:"imported,omitempty"` // it has no plan
	Planned  int    `json:"planned"`            // cells, or transcripts that were to be imported
	Ended    int    `json:"ended"`              // of them
	Sealed   bool   `json:"sealed"`             // the lake says that all of them have ended

	Compared  int `json:"compared"`           // collaborations whose rows are those of their answers
	Judged    int `json:"judged,omitempty"`   // whose score was found again from the judge's answer
	Forked    int `json:"forked,omitempty"`   // whose turns before the fork are those of the original
	Decisions int `json:"decisions"`          // counted again from their ballots
	Uncounted int `json:"uncounted"`          // that rest on something else
	Stops     int `json:"stops,omitempty"`    // collaborations whose learned stopping rule was asked again
	Recorded  int `json:"recorded,omitempty"` // answers of a program that is the environment
	Data      int `json:"data,omitempty"`     // data files of the plan that are in the lake
	NoData    int `json:"no_data,omitempty"`  // that are not
	Settled   int `json:"settled"`            // calls of unknown outcome with what they were billed
	// NoOriginal is the campaign that it goes on from, if that is not in the lake: what it
	// has from there was not compared.
	NoOriginal string `json:"no_original,omitempty"`
	// Question is the campaign's, answered again from its cells; nil if it has none.
	Question *asking.Summary `json:"question,omitempty"`

	// Of the lake's cache, whose damage is not the fault of the campaign: an entry that
	// cannot be read costs one call when it is needed.
	Cached        int      `json:"cached"`                   // whole entries
	CachedDamaged []string `json:"cached_damaged,omitempty"` // keys

	Attested *attestation.Comparison `json:"attested,omitempty"` // if it was compared with one
}

// Check returns what is wrong with a campaign of these plug-ins; the error says what kept it from looking.
func Check(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string) (Verification, error) {
	v := Verification{}
	var err error
	if v.Report, err = lake.Verify(ctx, s, name); err != nil {
		return v, err
	}
	p, m, err := campaign.ReadRecorded(ctx, s, name)
	switch {
	case errors.Is(err, campaign.ErrImported): // there are rows, and no plan
		if err := v.checkImported(ctx, s, m); err != nil {
			return v, err
		}
	case errors.Is(err, fs.ErrNotExist):
		v.find(campaign.ManifestKey(name), "the plan of the campaign is missing, so its cells cannot be counted")
	case err != nil:
		v.find(campaign.ManifestKey(name), err.Error())
	default:
		if err := errors.Join(v.count(ctx, s, p), v.checkData(ctx, s, p)); err != nil {
			return v, err
		}
	}
	if _, err := campaign.ReadRerun(ctx, s, name); err != nil {
		v.find(campaign.RerunKey(name), err.Error())
	}
	if _, err := campaign.ReadHalt(ctx, s, name); err != nil {
		v.find(campaign.HaltKey(name), err.Error())
	}
	settled, problems, err := ledger.CheckSettled(ctx, s, name)
	if err != nil {
		return v, err
	}
	for _, p := range problems {
		v.find(lake.SettlementsKey(name), p)
	}
	v.Settled = settled
	scored := scoring.Scored{}
	for _, check := range []func(context.Context, store.Store, string) ([]lake.Finding, error){
		gold.Check, batch.Check,
		func(ctx context.Context, s store.Store, name string) (found []lake.Finding, err error) {
			v.Recorded, found, err = programs.Check(ctx, s, name)
			return found, err
		},
		func(ctx context.Context, s store.Store, name string) (found []lake.Finding, err error) {
			scored, found, err = scoring.ReadScored(ctx, s, name)
			return found, err
		},
	} {
		found, err := check(ctx, s, name)
		if err != nil {
			return v, err
		}
		v.Findings = append(v.Findings, found...)
	}
	if err := v.checkBooks(ctx, s); err != nil {
		return v, err
	}
	if len(v.Findings) == 0 && v.Imported { // only labels have answers of ours
		if err := v.compareLabels(ctx, s, answers.NewAnswers(s)); err != nil {
			return v, err
		}
	} else if len(v.Findings) == 0 { // what is damaged cannot be counted
		if err := v.compareAnswers(ctx, s, scored); err != nil {
			return v, err
		}
		if err := v.compareForks(ctx, s, plugins); err != nil {
			return v, err
		}
		if err := v.recountDecisions(ctx, s, plugins); err != nil {
			return v, err
		}
		if err := v.askAgain(ctx, s, p); err != nil {
			return v, err
		}
		if err := v.checkQuestion(ctx, s, p, m); err != nil {
			return v, err
		}
	}
	cache, err := answers.CheckCache(ctx, s)
	if err != nil {
		return v, err
	}
	v.Cached, v.CachedDamaged = len(cache.Entries), cache.Damaged
	v.OK = len(v.Findings) == 0
	return v, nil
}

// checkData holds the data files that are in the lake to the plan.
func (v *Verification) checkData(ctx context.Context, s store.Store, p campaign.Plan) error {
	stored, problems, err := campaign.CheckData(ctx, s, p)
	for key, problem := range problems {
		v.find(key, problem)
	}
	v.Data, v.NoData = stored, len(p.Files)-stored
	return err
}

// Compare adds a comparison with an attestation.
func (v *Verification) Compare(ctx context.Context, s store.Store, e attestation.Expected) error {
	c, err := attestation.Compare(ctx, s, v.Digest, e)
	v.Attested = &c
	v.OK = v.OK && c.Errors() == 0
	return err
}

// countWrong returns the number of things that are.
func (v Verification) countWrong() int {
	if v.Attested == nil {
		return len(v.Findings)
	}
	return len(v.Findings) + v.Attested.Errors()
}

func (v *Verification) find(object, problem string) {
	v.Findings = append(v.Findings, lake.Finding{Object: object, Problem: problem})
}

// count compares what has ended with the plan, and with what the lake says about it.
func (v *Verification) count(ctx context.Context, s store.Store, p campaign.Plan) error {
	v.Revision, v.Planned = p.Campaign.Revision(), p.Campaign.Size()
	condition := make(map[string]string, v.Planned)
	order := p.Campaign.Order()
	for n := range v.Planned {
		cell := order.Cell(n)
		condition[p.Campaign.CollaborationID(cell)] = p.Campaign.Conditions[cell.Condition].ID()
	}
	markers, err := lake.Committed(ctx, s, v.Campaign)
	if err != nil && !errors.Is(err, store.ErrCorrupt) { // those are found already
		return err
	}
	again := false
	for _, m := range markers {
		again = again || m.Generation > 0
		switch planned, ok := condition[m.Collaboration]; {
		case !ok:
			v.find(m.Key(), "the plan has no such collaboration")
		case planned != m.Condition:
			v.find(m.Key(), fmt.Sprintf("it is of condition %s; the plan says %s", m.Condition, planned))
		default:
			v.Ended++
		}
	}
	return v.seal(ctx, s, again)
}

// seal holds the lake to its word that all cells have ended. Cells that are being run again change
// the digest, and what the card counts, until the campaign is sealed again.
func (v *Verification) seal(ctx context.Context, s store.Store, again bool) error {
	key := lake.SuccessKey(v.Campaign)
	success, err := lake.ReadSuccess(ctx, s, v.Campaign)
	if errors.Is(err, store.ErrCorrupt) {
		v.find(key, "it is not as it was written")
		return nil
	}
	if err != nil || success == (lake.Success{}) {
		return err
	}
	if _, err := campaign.ReadPlan(ctx, s, v.Campaign, success.Revision); err != nil && !v.Imported {
		v.find(key, fmt.Sprintf("it names a plan that cannot be read: %v", err))
		return nil
	}
	v.Sealed = success.Revision == v.Revision
	again = again && success.Digest != v.Digest
	if v.Sealed && !again {
		changed, err := commits.CheckCard(ctx, s, v.Campaign)
		if err != nil {
			return err
		}
		for _, object := range changed {
			v.find(object, "it is not as it was written, or is missing")
		}
		missing, err := commits.CheckLedger(ctx, s, v.Campaign)
		if err != nil {
			return err
		}
		for folder, problem := range missing {
			v.find(folder, problem)
		}
	}
	switch {
	case !v.Sealed: // of the plan before it was extended
	case v.Ended < v.Planned:
		v.find(key, fmt.Sprintf("it says that all cells have ended, but %d of %d are missing or damaged",
			v.Planned-v.Ended, v.Planned))
	case success.Digest != v.Digest && !again && len(v.Findings) == 0:
		v.find(key, fmt.Sprintf("the rows have digest %s, it says %s", v.Digest, success.Digest))
	}
	return nil
}

// Write writes the verification in words or as JSON. The error counts what is wrong.
func (v Verification) Write(w io.Writer, asJSON bool) error {
	if asJSON {
		if err := cli.WriteJSON(w, v); err != nil {
			return err
		}
	} else {
		v.print(w)
	}
	if v.OK {
		return nil
	}
	verb := "are"
	if v.countWrong() == 1 {
		verb = "is"
	}
	return cli.FailedError(fmt.Errorf("%s %s wrong with campaign %s", wording.Count(v.countWrong(), "thing"),
		verb, v.Campaign))
}

// mostForeign names of other programs are listed for people.
const mostForeign = 10

// ofAnswers returns "1 object of answers", "2 objects of answers".
func ofAnswers(n int) string { return wording.Count(n, "object") + " of answers" }

func (v Verification) print(w io.Writer) {
	if v.Imported {
		fmt.Fprintf(w, "%s: %d of %d transcripts were imported, without a plan or answers to compare with\n",
			v.Campaign, v.Ended, v.Planned)
		if !v.Sealed {
			fmt.Fprintln(w, "Not whole: the import was interrupted; the same import again adds the rest")
		}
	} else {
		fmt.Fprintf(w, "%s: %d of %d planned cells have ended\n", v.Campaign, v.Ended, v.Planned)
	}
	fmt.Fprintf(w, "Whole: %s with %s and %s, %s\n",
		wording.Count(v.Commits, "commit"), wording.Count(v.Files, "file"), wording.Count(v.Rows, "row"),
		ofAnswers(v.Answers))
	if v.Batches > 0 {
		fmt.Fprintf(w, "Compacted: %s in %s\n", wording.Count(v.Batches, "batch"), wording.Count(v.Parts, "part"))
	}
	if v.Expired > 0 {
		fmt.Fprintf(w, "Deleted: raw files of %s, whose rows are in the parts\n", wording.Count(v.Expired, "commit"))
	}
	if v.Compared > 0 {
		fmt.Fprintf(w, "Compared: the rows of %s with their answers\n", wording.Count(v.Compared, "collaboration"))
	}
	if v.Forked > 0 {
		fmt.Fprintf(w, "Compared: the turns before the fork of %s with the original's\n",
			wording.Count(v.Forked, "collaboration"))
	}
	if v.NoOriginal != "" {
		fmt.Fprintf(w, "Not compared: the turns before the fork, since %s is not in this lake\n", v.NoOriginal)
	}
	if v.Judged > 0 {
		fmt.Fprintf(w, "Scored again: %s from the answers of their judges\n", wording.Count(v.Judged, "decision"))
	}
	if v.Stops > 0 {
		fmt.Fprintf(w, "Asked again: the learned stopping rules of %s\n", wording.Count(v.Stops, "collaboration"))
	}
	if v.Decisions > 0 {
		fmt.Fprintf(w, "Counted again: %s from their ballots\n", wording.Count(v.Decisions, "decision"))
	}
	if v.Question != nil {
		fmt.Fprintf(w, "Answered again: %s\n", v.Question)
	}
	if v.Recorded > 0 {
		fmt.Fprintf(w, "Recorded: %s of the environment's program\n", wording.Count(v.Recorded, "answer"))
	}
	if v.Data > 0 {
		fmt.Fprintf(w, "Data: %s as when the campaign began\n", wording.Count(v.Data, "file"))
	} else if v.NoData > 0 {
		fmt.Fprintf(w, "Not checked: %s of data, which are not in this lake\n", wording.Count(v.NoData, "file"))
	}
	if v.Settled > 0 {
		fmt.Fprintf(w, "Settled: %s of unknown outcome, each in the ledger\n", wording.Count(v.Settled, "call"))
	}
	if n := len(v.Uncommitted); n > 0 {
		fmt.Fprintf(w, "Not committed: %s of collaborations that are under way or were interrupted; no reader sees them\n", wording.Count(n, "file"))
	}
	for _, name := range v.Foreign[:min(len(v.Foreign), mostForeign)] {
		fmt.Fprintf(w, "Not of this program, passed over: %s\n", wording.SafeLines(name))
	}
	if more := len(v.Foreign) - mostForeign; more > 0 {
		fmt.Fprintf(w, "Not of this program, passed over: and %d more (--json lists all)\n", more)
	}
	if n := len(v.CachedDamaged); n > 0 {
		fmt.Fprintf(w, "Cache of the lake: damaged are %d of %s; each costs one call when it is needed\n", n,
			wording.Count(n+v.Cached, "entry"))
	}
	if v.Attested != nil {
		v.Attested.WriteSummary(w)
	}
	fmt.Fprintf(w, "Digest: %s\n", v.Digest)
	for _, f := range v.Findings {
		fmt.Fprintf(w, "WRONG  %s: %s\n", wording.SafeLines(f.Object), wording.SafeLines(f.Problem))
	}
	if v.Attested != nil {
		v.Attested.WriteErrors(w)
	}
	if v.OK {
		fmt.Fprintln(w, "Nothing is wrong.")
	}
}
