package language

import (
	"context"
	"iter"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// conversation is the messages of one collaboration and what was measured of them.
type conversation struct {
	lake.Run
	Condition string
	Rounds    int // that were run; some may have no message
	Messages  []record.Feature
}

// atOnce collaborations are measured: an embedder may be far away.
const atOnce = 8

// Talks measures the collaborations of d, by condition and collaboration. Memory holds what
// lake.Collaborations holds and the turns of a few collaborations. The first error ends the
// sequence.
func (m Method) Talks(ctx context.Context, store store.Store, d lake.Dataset) iter.Seq2[conversation, error] {
	return func(yield func(conversation, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		under := make(chan chan measured, atOnce-1)
		defer func() { // the store is not read any more when this returns
			cancel()
			for one := range under {
				<-one
			}
		}()
		go m.start(ctx, under, lake.Collaborations(ctx, store, d, record.Collaborations, record.Turns))
		for one := range under {
			got := <-one
			if !yield(got.conversation, got.err) || got.err != nil {
				return
			}
		}
	}
}

type measured struct {
	conversation
	err error
}

// start measures each collaboration beside the others and passes them on in order.
func (m Method) start(ctx context.Context, under chan<- chan measured, all iter.Seq2[record.Rows, error]) {
	defer close(under)
	for rows, err := range all {
		one := make(chan measured, 1)
		select {
		case under <- one:
		case <-ctx.Done():
			return
		}
		go func() {
			if err != nil {
				one <- measured{err: err}
				return
			}
			one <- m.measure(ctx, rows)
		}()
	}
}

func (m Method) measure(ctx context.Context, rows record.Rows) measured {
	c := rows.Collaborations[0]
	messages, err := m.Of(ctx, rows.Turns)
	return measured{conversation{lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)},
		c.ConditionID, int(c.RoundsRun), messages}, err}
}
