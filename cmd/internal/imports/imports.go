// Package imports turns transcripts that another program recorded, in the Parquet files of Inspect Scout's
// database, into a campaign in the lake, so that everything that reads campaigns can read them.
package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

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

// Import says what is imported, and as which campaign.
type Import struct {
	Path     string // a Parquet file, or a folder of them
	Name     string // of the campaign
	Speakers []string
	Card     plan.Card // what its owner says of it; none leaves what was said
}

// Summary says what an import found; it is its JSON output.
type Summary struct {
	Campaign    string   `json:"campaign"`
	Transcripts int      `json:"transcripts"`
	Conditions  int      `json:"conditions"`
	Messages    int      `json:"messages"` // of speakers: those that are labelled and measured
	Answers     int      `json:"answers"`  // that come with a score
	Scored      int      `json:"scored"`
	Roles       []string `json:"roles"`  // of messages
	Unread      []string `json:"unread"` // what is null since it could not be read
	Unused      []string `json:"unused"` // columns, and keys of messages' metadata, that hold something else
}

// mostBytes are read of a file.
const mostBytes = 1 << 30

// commitsAtOnce are written together: a store may be far away.
const commitsAtOnce = 16

// Run imports the transcripts; those that an earlier run imported are not imported again.
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
					"%s has other rows of these transcripts, as another version of roundtable makes them: choose "+
						"another --name (%w)", i.Name, err))
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
	for _, needed := range []struct{ name, holds string }{
		{"transcript_id", "tells transcripts apart"}, {"messages", "holds what was said"},
	} {
		if !slices.Contains(table.Columns, needed.name) {
			return fmt.Errorf("there is no column %s: give this name to the one that %s (columns: %s), or write the file"+
				" as export --format scout does", needed.name, needed.holds,
				wording.SafeLine(strings.Join(table.Columns, ", ")))
		}
	}
	for _, one := range table.Records {
		r.noteUnused("", one.Fields, usedColumns)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.add(one.Fields); err != nil {
			return fmt.Errorf("%s: %w", table.Place(one), err)
		}
	}
	return nil
}

// What is read of a transcript, and of the metadata of its messages.
var (
	usedColumns = []string{"transcript_id", "messages", "task_set", "task_id", "task_repeat", "agent", "agent_args",
		"model", "score", "error", "date", "total_time", "simulated"}
	usedMetadata = []string{"agent", "answer", "score"}
)

// noteUnused notes what holds something and is not read.
func (r *reader) noteUnused(within string, fields map[string]any, used []string) {
	for name, v := range fields {
		if v != nil && v != "" && !slices.Contains(used, name) {
			r.unused[within+name] = true
		}
	}
}

func (r *reader) sumUp() Summary {
	sum := Summary{Campaign: r.campaign, Transcripts: len(r.rows), Conditions: len(r.conditions),
		Answers: r.answers, Roles: slices.Sorted(maps.Keys(r.roles)),
		Unread: []string{}, Unused: slices.Sorted(maps.Keys(r.unused))}
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
		n         int
		where, of string
	}{{r.unscored, "column score", "transcript"}, {r.misread, "metadata.score", "message"}} {
		if x.n > 0 {
			sum.Unread = append(sum.Unread, fmt.Sprintf(
				"%s of %s: expected a number from 0 to 1, true, false, or one of C, P, I, N", x.where,
				wording.Count(x.n, x.of)))
		}
	}
	if r.unread > 0 {
		sum.Unread = append(sum.Unread, fmt.Sprintf(
			"content of messages, %s: expected a text, or an object with its type", wording.Count(r.unread, "part")))
	}
	if r.untimed > 0 {
		sum.Unread = append(sum.Unread, fmt.Sprintf(
			"column total_time of %s: expected seconds, at most those of a year",
			wording.Count(r.untimed, "transcript")))
	}
	if r.undated > 0 {
		sum.Unread = append(sum.Unread, fmt.Sprintf(
			"column date of %s: expected one as 2026-09-21T10:00:00Z", wording.Count(r.undated, "transcript")))
	}
	return sum
}

// Print writes the summary in words.
func (s Summary) Print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s under %s, %s of speakers, %d scored\n", s.Campaign,
		wording.Count(s.Transcripts, "transcript"),
		wording.Count(s.Conditions, "condition"), wording.Count(s.Messages, "message"), s.Scored)
	for _, text := range s.Unread {
		fmt.Fprintf(w, "Not read: %s\n", text)
	}
	if len(s.Unread) > 0 {
		fmt.Fprintln(w, "To have it, correct the files and import them under another --name.")
	}
	if len(s.Unused) > 0 {
		fmt.Fprintf(w, "Not used: %s (labels are made by roundtable label, and read from a table by its --gold-from)\n",
			wording.SafeLine(strings.Join(s.Unused, ", ")))
	}
	if s.Messages == 0 {
		fmt.Fprintf(w, "Nobody speaks: the roles of messages are %s; --speakers says whose are agents'.\n",
			cmp.Or(wording.Clip(wording.SafeLine(strings.Join(s.Roles, ", "))), "not there"))
	}
	if s.Scored == 0 {
		fmt.Fprintln(w, "No outcomes: write each transcript's into the column score (0 to 1, true, false, \"C\" or \"I\").")
	}
	if s.Answers == 0 {
		fmt.Fprintln(w, "No table worth: write what a message answers into its metadata: {\"answer\": \"B\", "+
			"\"score\": 1}, 0 if wrong.")
	}
	fmt.Fprintln(w, "Not known, and null: costs, tokens, single calls, prompts and ballots. "+
		"The last message of a speaker stands as the decision.")
	fmt.Fprintf(w, "Next:    roundtable label %s\n", s.Campaign)
}
