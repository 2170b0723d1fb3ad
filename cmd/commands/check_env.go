package commands

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"roundtable/activities/programs"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/conformance"
	"roundtable/envs/program"
	"roundtable/envs/wording"
)

func newCheckEnv(o *cli.Options) *cobra.Command {
	params, timeout := "", time.Duration(0)
	cmd := &cobra.Command{
		Use:     "check-env -- COMMAND [ARGUMENT…]",
		Short:   "Check a program that is an environment, as environments in Go are checked",
		GroupID: toSetUp,
		Long: `Check a program that is an environment (env: {name: program, command: […]}).

It is asked what a campaign would ask it, and much that models and networks have
written: each question twice, of two processes, whose answers have to be the same.
The checks are those that the environments of this program pass. All that is wrong
is listed at once, and nothing is recorded.`,
		Example: `  roundtable check-env -- python3 well.py
  roundtable check-env --params '{"road": 12}' -- python3 well.py`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.UsageError(fmt.Errorf("which program? Name it with its arguments, as: roundtable " +
					"check-env -- python3 well.py"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p := program.Defaults()
			p.Command = args
			if timeout > 0 {
				p.Timeout = timeout.String()
			}
			if err := json.Unmarshal([]byte(params), &p.Params); params != "" && err != nil {
				return cli.UsageError(fmt.Errorf("--params is not a JSON object: %w", err))
			}
			return checkEnv(cmd.OutOrStdout(), p, o.JSON)
		},
	}
	cmd.Flags().StringVar(&params, "params", "", "the params of the campaign file, as a JSON object")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how long an answer may take (default 30s)")
	return cmd
}

// checkedEnv is what check-env found.
type checkedEnv struct {
	Command []string  `json:"command"`
	OK      bool      `json:"ok"`
	Checks  []checked `json:"checks"`
}

type checked struct {
	Name   string   `json:"name"`
	Errors []string `json:"errors,omitempty"`
	more   int
}

// mostShown is how many errors of one check are listed.
const mostShown = 10

func (c *checkedEnv) add(name string, errs []error) {
	one := checked{Name: name}
	for _, err := range errs {
		one.Errors = append(one.Errors, err.Error())
	}
	if n := len(one.Errors) - mostShown; n > 0 {
		one.Errors, one.more = one.Errors[:mostShown], n
	}
	c.Checks = append(c.Checks, one)
	c.OK = c.OK && len(errs) == 0
}

// checkEnv runs all checks of environments on a program.
func checkEnv(w io.Writer, p program.Params, asJSON bool) error {
	ran := programs.New(nil)
	defer ran.Close()
	found := checkedEnv{Command: p.Command, OK: true}
	env, err := program.New(p, ran.Checking(programs.Of{Trusted: true}))
	if err != nil {
		found.add("describe", []error{err})
	} else {
		found.add("describe", nil)
		opt := conformance.Options{Private: []string{"Background", "View"}}.For(env)
		for _, c := range conformance.Checks() {
			found.add(c.Name, conformance.Collect(func(r conformance.Reporter) { c.Run(r, env, opt) }))
		}
	}
	if !asJSON {
		found.print(w)
	} else if err := cli.WriteJSON(w, found); err != nil {
		return err
	}
	if !found.OK {
		return cli.FailedError(fmt.Errorf("the program %s breaks what an environment promises", p.Command[0]))
	}
	return nil
}

func (c checkedEnv) print(w io.Writer) {
	for _, one := range c.Checks {
		state := "ok"
		if n := len(one.Errors) + one.more; n > 0 {
			state = wording.Count(n, "error")
		}
		fmt.Fprintf(w, "%-13s %s\n", one.Name, state)
		for _, text := range one.Errors {
			fmt.Fprintf(w, "  WRONG  %s\n", wording.SafeLines(text))
		}
		if one.more > 0 {
			fmt.Fprintf(w, "  and %d more\n", one.more)
		}
	}
}
