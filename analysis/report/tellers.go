package report

import "sync/atomic"

// atOnce bounds the stories that are told at the same time.
const atOnce = 8

// tellers tell several stories at once; they are kept in the order in which they were begun.
type tellers struct {
	begun  chan chan func() (toldStory, error)
	failed atomic.Pointer[error] // the first, after which nothing is begun
	ended  chan struct{}
}

// tellStories begins to tell stories; keep is called for one after the other.
func tellStories(keep func(toldStory) error) *tellers {
	t := &tellers{begun: make(chan chan func() (toldStory, error), atOnce), ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		for next := range t.begun {
			one, err := (<-next)()
			if t.failed.Load() != nil {
				continue
			}
			if err == nil {
				err = keep(one)
			}
			if err != nil {
				t.failed.Store(&err)
			}
		}
	}()
	return t
}

// tell tells a story while others are begun. The error is that of an earlier one.
func (t *tellers) tell(story func() (toldStory, error)) error {
	if err := t.failed.Load(); err != nil {
		return *err
	}
	next := make(chan func() (toldStory, error), 1)
	t.begun <- next
	go func() {
		one, err := story()
		next <- func() (toldStory, error) { return one, err }
	}()
	return nil
}

// end waits until all are kept.
func (t *tellers) end() error {
	close(t.begun)
	<-t.ended
	if err := t.failed.Load(); err != nil {
		return *err
	}
	return nil
}
