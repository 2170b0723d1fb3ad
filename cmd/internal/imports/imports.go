// Package imports makes a campaign in the lake of transcripts that another program recorded, in the
// Parquet files of Inspect Scout's database, so that all that reads a campaign reads them.
package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"golang.org/x/sync/errgroup"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/qa/records"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Import is what is imported.
type Import struct {
	Path     string // a Parquet file, or a folder of them
	Name     string // of the campaign
	Speakers []string
	Card     plan.Card // what its owner says of it; none leaves what was said
}

// Summary is what an import says at its end.
type Summary struct {
	Campaign    string   `json:"campaign"`
	Transcripts int      `json:"transcripts"`
	Conditions  int      `json:"conditions"`
	Messages    int      `json:"messages"` // of speakers: those that are labelled and measured
	Answers     int      `json:"answers"`  // that come with a score
	Scored      int      `json:"scored"`
	Unread      []string `json:"unread"` // what is null since it could not be read
}

// mostBytes are read of a file.
const mostBytes = 1 << 30

// commitsAtOnce are written together: a store may be far away.
const commitsAtOnce = 16

// Run imports what is there; again, it finds what it has imported.
func (i Import) Run(ctx context.Context, s store.Store) (Summary, error) {
	names, err := i.findFiles()
	if err != nil {
		return Summary{}, cli.UsageError(err)
	}
	i.Speakers = slices.Compact(slices.Sorted(slices.Values(i.Speakers)))
	r, sums := newReader(i.Name, i.Speakers), map[string]string{}
	for _, name := range names {
		path := filepath.Join(i.folderOf(), name)
		data, err := store.ReadFile(path, mostBytes)
		if err == nil {
			err = r.readFile(ctx, path, data)
		}
		if err != nil {
			return Summary{}, cli.UsageError(fmt.Errorf("%s: %w", name, err))
		}
		sum := sha256.Sum256(data)
		sums[name] = hex.EncodeToString(sum[:])
	}
	if len(r.rows) == 0 {
		return Summary{}, cli.UsageError(fmt.Errorf("%s has no transcripts", i.Path))
	}
	all := campaign.Imported{Files: sums, Transcripts: len(r.rows), Speakers: i.Speakers}
	if err := i.claimName(ctx, s, all); err != nil {
		return Summary{}, err
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(commitsAtOnce)
	for _, rows := range r.rows {
		group.Go(func() error {
			_, err := commits.Commit(inGroup, s, rows)
			if errors.Is(err, commits.ErrConflict) {
				err = cli.UsageError(fmt.Errorf(
					"%s has other rows of these transcripts, as another version of roundtable makes them: choose another --name (%w)", i.Name, err))
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Summary{}, err
	}
	return r.sumUp(), i.seal(ctx, s, all.Transcripts)
}

// seal compacts and describes what is there, and says that it is all.
func (i Import) seal(ctx context.Context, s store.Store, transcripts int) error {
	if _, err := commits.CompactAll(ctx, s, i.Name, true); err != nil {
		return err
	}
	if err := commits.WriteCard(ctx, s, i.Name); err != nil {
		return err
	}
	markers, err := lake.Committed(ctx, s, i.Name)
	if err == nil && len(markers) != transcripts {
		err = fmt.Errorf("the lake lists %d of the %d transcripts of %s: import them again", len(markers),
			transcripts, i.Name)
	}
	if err != nil {
		return err
	}
	success := lake.Success{Revision: campaign.ImportedRevision, Digest: lake.Digest(markers)}
	return s.Replace(ctx, lake.SuccessKey(i.Name), success.Bytes(), "")
}

// folderOf is the one that file names are relative to.
func (i Import) folderOf() string {
	if info, err := os.Stat(i.Path); err == nil && info.IsDir() {
		return i.Path
	}
	return filepath.Dir(i.Path)
}

// findFiles returns the names of the files in the folder, in order.
func (i Import) findFiles() ([]string, error) {
	info, err := os.Stat(i.Path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{filepath.Base(i.Path)}, nil
	}
	names, err := fs.Glob(os.DirFS(i.Path), "*.parquet")
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no file *.parquet; expected Inspect Scout's database of transcripts", i.Path)
	}
	return names, err
}

// claimName records that the campaign of this name is imported. One that is there already must be of the same.
func (i Import) claimName(ctx context.Context, s store.Store, all campaign.Imported) error {
	m, err := campaign.ReadManifest(ctx, s, i.Name)
	if err == nil && reflect.DeepEqual(m.Imported, &all) {
		if i.Card == (plan.Card{}) {
			return nil
		}
		m.Card = &i.Card
		return campaign.WriteManifest(ctx, s, m)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	markers, lost := lake.Committed(ctx, s, i.Name)
	if err == nil || len(markers) > 0 {
		return cli.UsageError(fmt.Errorf(
			"the lake has a campaign %s, which is not of these files with these --speakers; choose another --name", i.Name))
	}
	if lost != nil && !errors.Is(lost, fs.ErrNotExist) {
		return lost
	}
	m = campaign.Manifest{Campaign: i.Name, Revision: campaign.ImportedRevision, Imported: &all, Card: &i.Card}
	return campaign.WriteManifest(ctx, s, m)
}

// readFile makes rows of all transcripts of a file.
func (r *reader) readFile(ctx context.Context, path string, data []byte) error {
	table, err := records.Read(path, data, records.Options{Form: records.Parquet})
	if err != nil {
		return err
	}
	for _, needed := range []string{"transcript_id", "messages"} {
		if !slices.Contains(table.Columns, needed) {
			return fmt.Errorf(
				"there is no column %s; expected Inspect Scout's transcripts, as export --format scout writes them", needed)
		}
	}
	for _, one := range table.Records {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.add(one.Fields); err != nil {
			return fmt.Errorf("%s: %w", table.Place(one), err)
		}
	}
	return nil
}

func (r *reader) sumUp() Summary {
	sum := Summary{Campaign: r.campaign, Transcripts: len(r.rows), Conditions: len(r.conditions),
		Answers: r.answers, Unread: []string{}}
	for _, rows := range r.rows {
		for _, t := range rows.Turns {
			if t.IsMessage() {
				sum.Messages++
			}
		}
		if rows.Collaborations[0].Score != nil {
			sum.Scored++
		}
	}
	for _, x := range []struct {
		n  int
		of string
	}{{r.unscored, "transcript"}, {r.misread, "answer"}} {
		if x.n > 0 {
			sum.Unread = append(sum.Unread, fmt.Sprintf(
				"score of %s: expected a number from 0 to 1, true, false, or one of C, P, I, N", wording.Count(x.n, x.of)))
		}
	}
	if r.unread > 0 {
		sum.Unread = append(sum.Unread, fmt.Sprintf(
			"%s of messages: expected a text, or an object with its type", wording.Count(r.unread, "part")))
	}
	if r.untimed > 0 {
		sum.Unread = append(sum.Unread, fmt.Sprintf(
			"total_time of %s: expected seconds, at most those of a year", wording.Count(r.untimed, "transcript")))
	}
	if r.undated > 0 {
		sum.Unread = append(sum.Unread, fmt.Sprintf(
			"date of %s: expected one as 2026-09-21T10:00:00Z", wording.Count(r.undated, "transcript")))
	}
	return sum
}

// Print says it in words.
func (s Summary) Print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s under %s, %s of speakers, %d scored\n", s.Campaign,
		wording.Count(s.Transcripts, "transcript"),
		wording.Count(s.Conditions, "condition"), wording.Count(s.Messages, "message"), s.Scored)
	for _, text := range s.Unread {
		fmt.Fprintf(w, "Not read: %s\n", text)
	}
	if s.Answers == 0 {
		fmt.Fprintln(w, "No table worth: the metadata of messages have no answer (a text) with a score (1 right, 0 wrong).")
	}
	fmt.Fprintln(w, "Not known, and null: costs, tokens, single calls, prompts and ballots. "+
		"The last message of a speaker stands as the decision.")
	fmt.Fprintf(w, "Next:    roundtable label %s\n", s.Campaign)
}
