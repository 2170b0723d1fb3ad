// Package integrity checks everything that a campaign has stored: checksums, row digests, counts against the
// plan, decisions against their ballots, settlements and the lake's cache. It changes nothing.
//
// An attestation is a file that lists what the lake holds of a campaign, signed if a key is given; a lake can
// be compared with it later. The file is a DSSE envelope (github.com/secure-systems-lab/dsse), so the
// signature covers exact bytes.
package integrity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

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
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// Verification is the result of verify.
type Verification struct {
	lake.Report
	OK       bool   `json:"ok"`
	Revision string `json:"revision,omitempty"` // of the plan; empty if there is none
	Imported bool   `json:"imported,omitempty"` // it has no plan
	Planned  int    `json:"planned"`            // cells, or transcripts that were to be imported
	Ended    int    `json:"ended"`              // of them
	Sealed   bool   `json:"sealed"`             // the lake says that all of them have ended

	Compared  int `json:"compared"`           // collaborations whose rows agree with their stored answers
	Judged    int `json:"judged,omitempty"`   // collaborations whose score was recomputed from the judge's answer
	Forked    int `json:"forked,omitempty"`   // collaborations whose turns before the fork are the original's
	Decisions int `json:"decisions"`          // recounted from their ballots
	Uncounted int `json:"uncounted"`          // decisions that are not based on ballots
	Stops     int `json:"stops,omitempty"`    // collaborations whose learned stopping rule was evaluated again
	Recorded  int `json:"recorded,omitempty"` // answers of a program that is the environment
	Data      int `json:"data,omitempty"`     // data files of the plan that are in the lake
	NoData    int `json:"no_data,omitempty"`  // that are not
	Settled   int `json:"settled"`            // calls of unknown outcome with what they were billed
	// NoOriginal is the forked campaign, if that is not in the lake: the turns taken from it were then
	// not compared.
	NoOriginal string `json:"no_original,omitempty"`
	// Unlisted are objects that the store has and does not list, by key. They are not wrong.
	Unlisted []string `json:"unlisted,omitempty"`
	// Question is the campaign's, answered again from its cells; nil if it has none.
	Question *asking.Summary `json:"question,omitempty"`

	// Of the lake's cache, whose damage is not the fault of the campaign: an entry that
	// cannot be read costs one call when it is needed.
	Cached        int      `json:"cached"`                   // whole entries
	CachedDamaged []string `json:"cached_damaged,omitempty"` // keys

	Attested *Comparison `json:"attested,omitempty"` // if it was compared with one
}

// Check verifies campaign name and returns what it found, errors in v.Findings; err says what kept it from
// checking. plugins are those that the campaign may name.
func Check(ctx context.Context, objects store.Store, plugins catalogue.Catalogue,
	name string) (v Verification, err error) {
	s := &byName{Store: objects, unlisted: map[string]store.Object{}}
	defer func() { v.Unlisted = slices.Sorted(maps.Keys(s.unlisted)) }()
	missing, err := s.findCommits(ctx, name)
	if err == nil {
		err = s.findCounted(ctx, name)
	}
	if err != nil {
		return v, err
	}
	if v.Report, err = lake.Verify(ctx, s, name); err != nil {
		return v, err
	}
	for _, key := range missing {
		v.find(key, "it is missing, though what it tells of has ended")
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
	if err := campaign.CheckStarts(ctx, s, name); err != nil {
		v.find(lake.AboutKey(name, "starts"), err.Error())
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

// Compare compares the lake with the attestation e, sets v.Attested, and clears v.OK if something is wrong.
// The error says what kept it from comparing.
func (v *Verification) Compare(ctx context.Context, s store.Store, e Expected) error {
	c, err := compareAttested(ctx, s, v.Digest, e)
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

// Write writes the verification in words or as JSON, and returns an error with the number of findings if
// something is wrong.
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
	fmt.Fprintf(w, "Whole: %s with %s and %s, %s of answers\n",
		wording.Count(v.Commits, "commit"), wording.Count(v.Files, "file"), wording.Count(v.Rows, "row"),
		wording.Count(v.Answers, "object"))
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
	for _, key := range v.Unlisted[:min(len(v.Unlisted), mostForeign)] {
		fmt.Fprintf(w, "Not listed, and there: %s\n", wording.SafeLines(key))
	}
	if n := len(v.Unlisted); n > 0 {
		fmt.Fprintf(w, "The store does not list %s of this campaign yet; tables may lack them for a while\n",
			wording.Count(n, "object"))
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

// checkBooks holds labels of both kinds to the code books that say what they mean.
func (v *Verification) checkBooks(ctx context.Context, s store.Store) error {
	for _, key := range v.Uncommitted { // a marker is lost, or the command was interrupted and has to be repeated
		if strings.HasPrefix(key, "raw/"+record.Gold+"/") {
			v.find(key, "no marker names these gold labels, so no reader sees them; the same label --gold-from "+
				"stores them, if the command was interrupted")
		}
	}
	books, err := v.usedBooks(ctx, s)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(books)) {
		if err := v.checkBook(ctx, s, id, books[id]); err != nil {
			return err
		}
	}
	return nil
}

// usedBooks returns the ids of the code books of draws and of labellers, and of all that are
// recorded; with the hash of the recorded book, where a draw has it.
func (v *Verification) usedBooks(ctx context.Context, s store.Store) (map[string]string, error) {
	books := map[string]string{}
	objects, err := s.List(ctx, campaign.BooksFolder(v.Campaign))
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		books[strings.TrimSuffix(strings.TrimPrefix(o.Key, campaign.BooksFolder(v.Campaign)), ".json")] = ""
	}
	ids, err := lake.AllLabellers(ctx, s, v.Campaign)
	if err != nil {
		return nil, err
	}
	for _, id := range ids { // one that cannot be read is found with its labels
		if l, err := campaign.ReadLabelling(ctx, s, v.Campaign, id); err == nil && l.CodeBook != nil {
			books[l.CodeBook.ID()] = ""
		}
	}
	drawn, err := gold.Books(ctx, s, v.Campaign)
	if err != nil {
		return nil, err
	}
	for _, id := range drawn {
		books[id] = ""
		draws, err := gold.ReadDraws(ctx, s, v.Campaign, id)
		if err != nil && !errors.Is(err, store.ErrCorrupt) { // that is found already
			return nil, err
		}
		for _, d := range draws {
			books[id] = cmp.Or(books[id], d.BookHash)
		}
	}
	return books, nil
}

func (v *Verification) checkBook(ctx context.Context, s store.Store, id, hash string) error {
	key := campaign.BookKey(v.Campaign, id)
	data, err := s.Get(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		v.find(key, "the code book is missing: nothing says what labels by it mean")
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := campaign.DecodeBook(id, data); err != nil {
		v.find(key, err.Error())
	} else if hash != "" && hash != campaign.BookHash(data) {
		v.find(key, "it is not the code book that coders were shown: its hash is another than the draw's")
	}
	return nil
}

// checkImported holds a campaign to its manifest's word that it was imported: else the word would spare
// any campaign the comparison with its plan and answers.
func (v *Verification) checkImported(ctx context.Context, s store.Store, m campaign.Manifest) error {
	v.Imported, v.Revision = true, m.Revision
	key := campaign.ManifestKey(v.Campaign)
	if m.Imported == nil {
		v.find(key, "it says that the campaign was imported, and not of which files")
		return nil
	}
	v.Planned = m.Imported.Transcripts
	plans, err := lake.List(ctx, s, lake.AboutKey(v.Campaign, "plans/"))
	if err != nil {
		return err
	}
	for _, o := range plans {
		v.find(o.Key, "it is a plan of a campaign that is said to be imported")
	}
	runs, err := answers.NewAnswers(s).Runs(ctx, v.Campaign)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if !strings.HasPrefix(run.Collaboration, ledger.LabelsPrefix) {
			v.find(folderOf(run), "it has answers to agents of a campaign that is said to be imported")
		}
	}
	markers, err := lake.Committed(ctx, s, v.Campaign)
	if err != nil && !errors.Is(err, store.ErrCorrupt) { // those are found already
		return err
	}
	v.Ended = len(markers)
	if v.Ended > v.Planned {
		v.find(key, fmt.Sprintf("it tells of %d transcripts, and there are %d", v.Planned, v.Ended))
	}
	if len(v.Findings) == 0 { // what is damaged cannot be read
		if err := v.checkImportedRows(ctx, s); err != nil {
			return err
		}
	}
	return v.seal(ctx, s, false)
}

// checkImportedRows finds rows that no import makes.
func (v *Verification) checkImportedRows(ctx context.Context, s store.Store) error {
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	for _, m := range d.Members {
		if m.Rows["calls"]+m.Rows["ballots"] > 0 {
			v.find(m.Collaboration, "it has calls or ballots, in a campaign that is said to be imported")
		}
	}
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return err
		}
		if row.Protocol != record.Imported || row.EngineVersion != record.Imported {
			v.find(row.CollaborationID, "a collaboration that was run, in a campaign that is said to be imported")
		}
	}
	return nil
}

// checkQuestion holds what markers say of outcomes, by which a question is answered, to
// the rows, and finds the answer again.
func (v *Verification) checkQuestion(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) error {
	if m.Until == nil {
		return nil
	}
	markers, err := lake.Committed(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	said := make(map[lake.Run]lake.Marker, len(markers))
	for _, m := range markers {
		said[m.Run()] = m
	}
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return err
		}
		marker := said[lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}]
		if is := lake.MeasuredOf(row); marker.Measured != nil && !reflect.DeepEqual(*marker.Measured, is) {
			v.find(marker.Key(), fmt.Sprintf("it has another outcome of collaboration %s than its row",
				row.CollaborationID))
		}
	}
	state, err := asking.NewReader(s).Read(ctx, p.Campaign, *m.Until, nil)
	if err != nil {
		v.find(campaign.ManifestKey(v.Campaign), err.Error())
		return nil
	}
	v.Question = new(state.Summary())
	return nil
}
