package runs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"roundtable/activities/people"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// Answering says which question of a campaign is answered, and with what.
type Answering struct {
	Campaign string
	List     bool   // prints the open questions and answers none
	As       string // answers for this person alone, of several
	Question string // id; with Text or File. Empty asks for all open questions in turn
	Text     string
	File     string // holds the answer; - is standard input
}

// Open returns the open questions that the person in As may answer, oldest first; all if As is "".
func (a Answering) Open(ctx context.Context, s store.Store) ([]people.Question, error) {
	all, err := people.Open(ctx, s, a.Campaign)
	if err != nil {
		return nil, err
	}
	var open []people.Question
	for _, q := range all {
		if a.As == "" || q.Who == a.As {
			open = append(open, q)
		}
	}
	return open, nil
}

// Run answers one question, or all open ones in turn, reading from in.
func (a Answering) Run(ctx context.Context, s store.Store, in io.Reader, out io.Writer) error {
	if a.Question == "" && (a.Text != "" || a.File != "") {
		return cli.UsageError(errors.New("--text and --file answer one question; name it with --question"))
	}
	if a.Question != "" {
		text, err := a.givenAnswer(in)
		if err != nil {
			return err
		}
		return a.store(ctx, s, out, a.Question, text)
	}
	open, err := a.Open(ctx, s)
	if err != nil {
		return err
	}
	if len(open) == 0 || a.List {
		return list(out, a.Campaign, open)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, people.MaxAnswer+1)
	for i, q := range open {
		if err := show(out, q, i+1, len(open)); err != nil {
			return err
		}
		text, more := read(lines)
		if strings.TrimSpace(text) == "" {
			if !more {
				return lines.Err()
			}
			fmt.Fprintln(out, "Skipped; the question stays open.")
			continue
		}
		if err := a.store(ctx, s, out, q.ID, text); err != nil {
			return err
		}
	}
	return nil
}

// givenAnswer returns the answer that flags give.
func (a Answering) givenAnswer(in io.Reader) (string, error) {
	switch {
	case a.Text != "" && a.File != "":
		return "", cli.UsageError(errors.New("give --text or --file, not both"))
	case a.Text != "":
		return a.Text, nil
	case a.File == "":
		return "", cli.UsageError(errors.New("--question needs --text or --file"))
	case a.File != "-":
		f, err := os.Open(a.File)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, people.MaxAnswer+1))
	return string(data), err
}

func (a Answering) store(ctx context.Context, s store.Store, out io.Writer, id, text string) error {
	err := people.Answer(ctx, s, a.Campaign, id, text)
	if errors.Is(err, people.ErrNotAsked) {
		return cli.UsageError(fmt.Errorf("%s: %w; `roundtable answer %s --list` prints the open ones", id,
			err, a.Campaign))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Answered %s.\n", id)
	return err
}

// read returns an answer: lines up to one that is a single dot, or to the end. more is
// false at the end.
func read(lines *bufio.Scanner) (text string, more bool) {
	var all []string
	for lines.Scan() {
		if lines.Text() == "." {
			return strings.Join(all, "\n"), true
		}
		all = append(all, lines.Text())
	}
	return strings.Join(all, "\n"), false
}

func list(out io.Writer, campaign string, open []people.Question) error {
	if len(open) == 0 {
		_, err := fmt.Fprintf(out, "No question of %s waits for a person.\n", campaign)
		return err
	}
	for _, q := range open {
		if _, err := fmt.Fprintf(out, "%s  %s\n", q.ID, QuestionTitle(q)); err != nil {
			return err
		}
	}
	return nil
}

// QuestionTitle returns a line that says whose turn a question is and since when it waits.
func QuestionTitle(q people.Question) string {
	text := fmt.Sprintf("%s, round %d, %s, since %s",
		wording.SafeLine(cmp.Or(q.Turn.Agent, q.Turn.Role)), q.Turn.Round, wording.SafeLine(q.Turn.Phase),
		q.AskedAt.Local().Format("2006-01-02 15:04"))
	if q.Turn.Ask > 0 {
		text += ", asked again"
	}
	return text
}

// show prints a question as the agent that the person plays is asked it.
func show(out io.Writer, q people.Question, n, of int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "=== question %d of %d: %s: %s\n", n, of, q.ID, QuestionTitle(q))
	for _, m := range q.Messages {
		fmt.Fprintf(&b, "--- %s\n%s\n", map[string]string{"system": "who you are", "user": "asked",
			"assistant": "your answer"}[m.Role], wording.SafeLines(m.Content))
	}
	end := []string{"a line with a single dot ends it"}
	if len(q.Schema) > 0 {
		end = append(end, "it must be the JSON object asked for")
	}
	fmt.Fprintf(&b, "--- your answer (%s; nothing skips the question)\n", wording.And(end))
	_, err := io.WriteString(out, b.String())
	return err
}
