package exports

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// Viewpoints is what export --viewpoints is asked for.
type Viewpoints struct {
	Each      int // right ones and wrong ones that a question must have
	Condition string
}

// Run writes the pool of a campaign to a file of JSON lines.
func (v Viewpoints) Run(cmd *cobra.Command, o *cli.Options, x Export, format string) error {
	if v.Each < 1 {
		return cli.UsageError(fmt.Errorf("--viewpoints is %d; a pool has 1 or more of each kind (paper 4: 40)", v.Each))
	}
	ctx := cmd.Context()
	p, err := x.readPool(ctx, o, "--viewpoints", v.Condition, format)
	if err != nil {
		return err
	}
	short := p.Short(v.Each)
	if len(short) == len(p.Questions) {
		best := p.Tallies[short[0]]
		return cli.UsageError(fmt.Errorf("no question has %d right and %d wrong answers that could be read; %s has %d and %d: sample more, or harder or easier questions",
			v.Each, v.Each, short[0], best.Right, best.Wrong))
	}
	file, err := cli.StageFile(x.Output, func(w io.Writer) (int64, error) { return v.write(ctx, w, p) })
	if err != nil {
		return x.explainErr(ctx, err)
	}
	if p.Simulated > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "SIMULATED: %s by scripted agents (field simulated)\n",
			wording.Count(p.Simulated, "answer"))
	}
	if len(short) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d questions have too few and are left out: %s\n", len(short),
			len(p.Questions), strings.Join(firstNames(short), ", "))
	}
	if err := file.Publish(x.Force); err != nil {
		return err
	}
	return x.Report(cmd, o.JSON, []Written{{"viewpoints", file.Path, file.Rows, file.Bytes}})
}

// readPool returns the first answers of a campaign for an export that writes one
// file of JSON lines; the flag names the export in errors.
func (x Export) readPool(ctx context.Context, o *cli.Options, flag, condition, format string) (*Pool, error) {
	if x.Output == "" || len(x.Tables) > 0 || format != "" && format != "jsonl" {
		return nil, cli.UsageError(fmt.Errorf("%s needs -o FILE, takes no --table, and writes jsonl only", flag))
	}
	if err := cli.CheckOutput(x.Output, x.Force); err != nil {
		return nil, cli.UsageError(err)
	}
	s, d, err := x.open(ctx, o)
	if err != nil {
		return nil, err
	}
	p, err := readPool(ctx, s, d, condition)
	if err != nil {
		return nil, cli.UsageError(x.explainErr(ctx, err))
	}
	return p, nil
}

// firstNames returns the first ten of a longer list.
func firstNames(names []string) []string {
	if len(names) > 10 {
		return append(names[:10:10], "…")
	}
	return names
}

func (v Viewpoints) write(ctx context.Context, w io.Writer, p *Pool) (rows int64, err error) {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for view, err := range p.Viewpoints(ctx, v.Each) {
		if err != nil {
			return rows, err
		}
		if err := lines.Encode(view); err != nil {
			return rows, err
		}
		rows++
	}
	return rows, nil
}
