package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/pool"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// viewpoints is what export --viewpoints is asked for.
type viewpoints struct {
	each      int // right ones and wrong ones that a question must have
	condition string
}

func (v *viewpoints) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&v.each, "viewpoints", 0, "write first answers as a pool of viewpoints (pool.file): of questions with n right and n wrong ones")
	cmd.Flags().StringVar(&v.condition, "condition", "", "with --viewpoints and --challenges: whose, if several conditions have answers")
}

// run writes the pool of a campaign to a file of JSON lines.
func (v viewpoints) run(cmd *cobra.Command, o *cli.Options, x export, format string) error {
	if v.each < 1 {
		return cli.UsageError(fmt.Errorf("--viewpoints is %d; a pool has 1 or more of each kind (paper 4: 40)", v.each))
	}
	ctx := cmd.Context()
	p, err := x.readPool(ctx, o, "--viewpoints", v.condition, format)
	if err != nil {
		return err
	}
	short := p.Short(v.each)
	if len(short) == len(p.Questions) {
		best := p.Tallies[short[0]]
		return cli.UsageError(fmt.Errorf("no question has %d right and %d wrong answers that could be read; %s has %d and %d: sample more, or harder or easier questions",
			v.each, v.each, short[0], best.Right, best.Wrong))
	}
	file, err := stage(x.output, func(w io.Writer) (int64, error) { return v.write(ctx, w, p) })
	if err != nil {
		return x.told(ctx, err)
	}
	if p.Simulated > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "SIMULATED: %s by scripted agents (field simulated)\n", wording.Count(p.Simulated, "answer"))
	}
	if len(short) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d questions have too few and are left out: %s\n", len(short), len(p.Questions), strings.Join(some(short), ", "))
	}
	if err := file.publish(x.force); err != nil {
		return err
	}
	return x.report(cmd, o.JSON, []exported{{"viewpoints", file.path, file.rows, file.bytes}})
}

// readPool returns the first answers of a campaign for an export that writes one
// file of JSON lines; the flag names the export in errors.
func (x export) readPool(ctx context.Context, o *cli.Options, flag, condition, format string) (*pool.Pool, error) {
	if x.output == "" || len(x.tables) > 0 || format != "" && format != "jsonl" {
		return nil, cli.UsageError(fmt.Errorf("%s needs -o FILE, takes no --table, and writes jsonl only", flag))
	}
	if err := writable(x.output, x.force); err != nil {
		return nil, cli.UsageError(err)
	}
	s, d, err := x.open(ctx, o)
	if err != nil {
		return nil, err
	}
	p, err := pool.Read(ctx, s, d, condition)
	if err != nil {
		return nil, cli.UsageError(x.told(ctx, err))
	}
	return p, nil
}

// some returns the first of many.
func some(names []string) []string {
	if len(names) > 10 {
		return append(names[:10:10], "…")
	}
	return names
}

func (v viewpoints) write(ctx context.Context, w io.Writer, p *pool.Pool) (rows int64, err error) {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for view, err := range p.Viewpoints(ctx, v.each) {
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
