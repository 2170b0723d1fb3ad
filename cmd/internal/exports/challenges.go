package exports

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// Challenges writes a campaign's wrong first answers as a file of challenges.
func Challenges(cmd *cobra.Command, o *cli.Options, x Export, condition, format string) error {
	ctx := cmd.Context()
	p, err := x.readPool(ctx, o, "--challenges", condition, format)
	if err != nil {
		return err
	}
	list, without, err := p.Challenges(ctx)
	if err != nil {
		return x.explainErr(ctx, err)
	}
	if len(list) == 0 {
		return cli.UsageError(fmt.Errorf("campaign %s has no wrong answer that could be read: sample more, or harder questions", x.Campaign))
	}
	file, err := cli.StageFile(x.Output, func(w io.Writer) (int64, error) { return writeChallenges(w, list) })
	if err != nil {
		return x.explainErr(ctx, err)
	}
	if p.Simulated > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "SIMULATED: %s by scripted agents (field simulated)\n",
			wording.Count(p.Simulated, "answer"))
	}
	if len(without) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d questions have no wrong answer and are left out: %s\n", len(without),
			len(p.Questions), strings.Join(firstNames(without), ", "))
	}
	if list[0].Irrelevant == "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "No irrelevant solutions: for some question no other question's answer is known to be wrong. The environment makes them from the questions.")
	}
	if err := file.Publish(x.Force); err != nil {
		return err
	}
	return x.Report(cmd, o.JSON, []Written{{"challenges", file.Path, file.Rows, file.Bytes}})
}

func writeChallenges(w io.Writer, list []Challenge) (rows int64, err error) {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, c := range list {
		if err := lines.Encode(c); err != nil {
			return rows, err
		}
		rows++
	}
	return rows, nil
}
