package collaboration

import (
	"fmt"

	"roundtable/activities/failure"
	"roundtable/envs"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// giveAll makes the pending entries that the environment gives: answers to cues,
// and where agents are; and those in whose place a fork puts a text. They are pure, so nothing of them is stored: they are
// found again whenever the stored turns are played. One that cannot be made
// stays pending, and stuck says why. The caller holds mu or owns c alone.
func (c *Collaboration) giveAll() {
	for given := true; given && c.stuck == nil; { // one may be the last of its plan and open the next
		given = false
		for _, p := range c.Session.Pending() {
			_, instead := c.Session.Instead(p.Entry)
			if (instead || p.Kind == transcript.Env) && c.stuck == nil {
				c.stuck, given = c.giveOne(p), true
			}
		}
	}
}

func (c *Collaboration) giveOne(p protocol.Pending) (err error) {
	defer failure.Recover(&err)
	given := c.moveAgent
	if _, instead := c.Session.Instead(p.Entry); instead {
		given = c.replacedEntry
	} else if _, isCue := p.Payload.Data.(envs.Cue); isCue {
		given = c.answerCue
	}
	t, err := given(p.Entry, p.Step)
	if err != nil {
		return failure.Fail(fmt.Errorf("entry %d: %w", p.Entry, err))
	}
	c.Turns[t.Entry] = t
	return c.Session.Record(t.Entry, t.Act)
}

// missingEntry returns why an entry is not there to be taken. The caller holds mu.
func (c *Collaboration) missingEntry(entry int) error {
	if c.stuck != nil {
		return c.stuck
	}
	return fmt.Errorf("entry %d of %s %w", entry, c.Run, errNotPending)
}
