package commands

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

func newPrepare(o *cli.Options) *cobra.Command {
	retention := 30 * 24 * time.Hour
	cmd := &cobra.Command{
		Use:     "prepare",
		Short:   "Make the namespace and search attributes of an outside Temporal server",
		GroupID: toSetUp,
		Long: `Make the namespace of an outside Temporal server, and the search attributes by
which its tools find collaborations: RoundtableCampaign, RoundtableCondition,
RoundtableInstance, RoundtableReplicate, RoundtableStatus, RoundtableCostUSD.
With --lake it also says the task queue of the lake's campaigns, for autoscaling.
What is there already stays as it is. Campaigns run without it in any namespace;
they then cannot be searched for.`,
		Example: `  roundtable prepare --temporal temporal.example.org:7233 --namespace experiments`,
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			target, ok, err := campaigns.OutsideTarget(o)
			if err != nil {
				return cli.UsageError(err)
			}
			if !ok {
				return cli.UsageError(errors.New("prepare needs --temporal HOST:PORT (or TEMPORAL_ADDRESS); the " +
					"embedded server needs no preparation"))
			}
			done, err := infra.PrepareNamespace(cmd.Context(), target, retention, workflows.SearchAttributes())
			if err != nil {
				return err
			}
			queue, err := lakeQueue(cmd, o)
			if err != nil {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(o.Stdout(), struct {
					infra.Prepared
					TaskQueue string `json:"task_queue,omitempty"`
				}{done, queue})
			}
			fmt.Fprintln(o.Stdout(), preparedText(done, target.HostPort))
			if queue != "" {
				fmt.Fprintf(o.Stdout(), "task queue of the lake %s: %s\n", o.LakeName(), queue)
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&retention, "retention", retention, "how long a new namespace keeps closed workflows")
	return cmd
}

// lakeQueue returns the task queue of the lake's campaigns, which gets its identity with
// it; "" if no lake was named.
func lakeQueue(cmd *cobra.Command, o *cli.Options) (string, error) {
	if !cmd.Flags().Changed("lake") && os.Getenv("ROUNDTABLE_LAKE") == "" {
		return "", nil
	}
	s, _, err := o.CreateLake()
	if err != nil {
		return "", err
	}
	known, err := lake.Identify(cmd.Context(), s)
	return task.LakeQueue(known.ID), err
}

// preparedText says what was made.
func preparedText(done infra.Prepared, at string) string {
	text := fmt.Sprintf("namespace %s of %s: ", done.Namespace, at)
	switch {
	case done.Made:
		text += "made"
	default:
		text += "was there"
	}
	if len(done.Attributes) == 0 {
		return text + ", with all search attributes"
	}
	return text + "; search attributes made: " + strings.Join(done.Attributes, ", ")
}
