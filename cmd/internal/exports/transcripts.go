package exports

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/study/worth"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/transcripts"
	"roundtable/workflows/catalogue"
)

// TranscriptFormats are those of other tools that show transcripts: inspect's log, Inspect
// Scout's database, and the Hub's session traces.
var TranscriptFormats = []string{"eval", "scout", "sts"}

// talk is a collaboration as a conversation, which is all that these formats know.
type talk struct {
	record.Collaboration
	about    string // what was run and what was asked
	messages []message
}

// message is one turn, or the first of all: what the collaboration is about.
type message struct {
	id        string
	assistant bool // a model was asked for it; otherwise the rule or the environment speaks
	text      string
	thinking  string
	model     string
	agent     string // who speaks; "" for the rule and the environment
	answer    string // what an agent answers with it, where answers are right or wrong
	score     *float64
}

func (m message) roleName() string {
	if m.assistant {
		return "assistant"
	}
	return "user"
}

// stage writes a file of an export for good later, when all are written.
type stage func(name string, write func(io.Writer) (int64, error)) error

// stageTranscripts writes the files of a format of TranscriptFormats.
func (x *Export) stageTranscripts(ctx context.Context, plugins catalogue.Catalogue, s store.Store, d lake.Dataset,
	tell io.Writer) (files []cli.StagedFile, err error) {
	if err := os.MkdirAll(x.Output, 0o755); err != nil {
		return nil, err
	}
	add := func(name string, write func(io.Writer) (int64, error)) error {
		path := filepath.Join(x.Output, name)
		if err := cli.CheckOutput(path, x.Force); err != nil {
			return cli.UsageError(err)
		}
		f, err := cli.StageFile(path, write)
		if err == nil {
			files = append(files, f)
		}
		return err
	}
	all := readTalks(ctx, collaboration.NewReader(s, plugins, providers.OpenData), lake.Collaborations(ctx, s, d), tell)
	switch x.Format {
	case "eval":
		err = writeEval(all, add)
	case "scout":
		err = writeScout(x.Campaign, all, add)
	default:
		err = writeTraces(all, add)
	}
	return files, err
}

// readTalks returns collaborations as conversations. A question that cannot be read any more is
// left out, which is said once.
func readTalks(ctx context.Context, reader *collaboration.Reader, all iter.Seq2[record.Rows, error],
	tell io.Writer) iter.Seq2[talk, error] {
	return func(yield func(talk, error) bool) {
		warned := false
		for rows, err := range all {
			if err != nil {
				yield(talk{}, err)
				return
			}
			story := report.Tell(rows)
			if story.Facts, err = transcripts.Facts(ctx, reader, story.Collaboration.Key); err != nil && !warned {
				fmt.Fprintf(tell, "What was asked is left out where it cannot be found again: %s: %v\n",
					story.Collaboration.CollaborationID, err)
				warned = true
			}
			if !yield(talkOf(story, rows.Turns), nil) {
				return
			}
		}
	}
}

func talkOf(story report.Told, turns []record.Turn) talk {
	c := talk{Collaboration: story.Collaboration}
	lines := slices.Clone(story.About)
	for _, f := range story.Facts {
		lines = append(lines, f.Name+": "+f.Text)
	}
	c.about = strings.Join(lines, "\n")
	c.messages = []message{{id: "about", text: c.about}}
	of, graded := map[int32]record.Turn{}, false
	for _, t := range turns {
		of[t.Entry] = t
		u := t.ProposalUtility
		graded = graded || u != nil && *u != 0 && *u != 1
	}
	for _, round := range story.Rounds {
		for _, phase := range round.Phases {
			for _, t := range phase.Turns {
				parts := []string{strings.TrimSpace(t.Who + t.Does), t.Proposal, t.Text}
				if t.Reason != "" {
					parts = append(parts, "(private) "+t.Reason)
				}
				parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
				m := message{id: fmt.Sprintf("entry-%d", t.Entry), assistant: t.Asked, text: strings.Join(parts, "\n"),
					thinking: t.Thinking, model: orEmpty(of[t.Entry].Model)}
				if t.Asked {
					m.agent = t.Who
				}
				if !graded && worth.IsAnswer(of[t.Entry]) {
					m.answer, m.score = orEmpty(of[t.Entry].ProposalKey), of[t.Entry].ProposalUtility
				}
				c.messages = append(c.messages, m)
			}
		}
	}
	c.messages = append(c.messages, message{id: "end", text: story.End})
	return c
}

// talkID names a collaboration wherever it is.
func (c talk) talkID() string {
	return fmt.Sprintf("%s/%s.%d", c.CampaignID, c.CollaborationID, c.Generation)
}

// secondsTaken returns how long it took; 0 if it never began.
func (c talk) secondsTaken() float64 {
	return time.Duration((c.EndedAt - c.StartedAt) * int64(time.Microsecond)).Seconds()
}

// timeText returns a time of a row as RFC 3339.
func timeText(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

func orEmpty(s *string) string { return orElse(s, "") }

func orElse(s *string, other string) string {
	if s == nil {
		return other
	}
	return *s
}
