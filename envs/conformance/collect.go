package conformance

import (
	"errors"
	"fmt"

	"roundtable/envs"
)

// Collect calls report outside of a test and returns what it reports. A panic is reported, too: a
// program that gives no answer causes one.
func Collect(report func(Reporter)) (errs []error) {
	c := &collector{}
	defer func() {
		errs = c.errs
		switch p := recover().(type) {
		case nil, fatal:
		case error:
			errs = append(errs, p)
		default:
			errs = append(errs, fmt.Errorf("panic: %v", p))
		}
	}()
	report(c)
	return c.errs
}

// fatal is what Fatalf panics with.
type fatal struct{}

type collector struct{ errs []error }

func (*collector) Helper() {}

func (c *collector) Errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

func (c *collector) Fatalf(format string, args ...any) {
	c.Errorf(format, args...)
	panic(fatal{})
}

// Sample checks the first two instances, and the first proposals of scripted agents for one of
// them, and returns all that is wrong: a short check for an environment that may be slow.
func Sample(env envs.Environment) error {
	return errors.Join(Collect(func(r Reporter) {
		checkDeal(r, env, Options{Instances: 2}.For(env))
		in := DealInstance(r, env, 0)
		for _, p := range SampleProposals(r, env, in) {
			if err := CheckParse(in, []byte(p)); err != nil {
				r.Errorf("the proposal %s of a scripted agent: %v", clipText(p), err)
			}
		}
	})...)
}
