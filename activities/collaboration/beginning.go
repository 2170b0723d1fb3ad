package collaboration

import (
	"hash/maphash"
	"strings"

	"roundtable/activities/calls"
	"roundtable/activities/model"
)

// leastAlike is from how many bytes on a beginning that prompts share is worth an answer's time: services
// keep 1,024 tokens and more, of about four bytes.
const leastAlike = 4 * 1024

var beginningSeed = maphash.MakeSeed()

// BeginAlike reports whether the prompts of pending entries begin with the same long text, which was not
// the beginning of those before, and which model they are for. It looks at the first and the last of them.
func (c *Collaboration) BeginAlike(entries []int) (model string, alike bool, err error) {
	first, done, err := c.Ask(entries[0])
	if err != nil || done != nil {
		return "", false, err
	}
	last, done, err := c.Ask(entries[len(entries)-1])
	if err != nil || done != nil || first.Provider.Name != last.Provider.Name {
		return "", false, err
	}
	shared := sharedBeginning(first, last)
	if len(shared) < leastAlike {
		return "", false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.beginning
	c.beginning = maphash.String(beginningSeed, shared)
	return first.Provider.Name, c.beginning != before, nil
}

// sharedBeginning returns the text with which two prompts begin.
func sharedBeginning(a, b calls.Question) string {
	one, other := textOf(a.Messages), textOf(b.Messages)
	return one[:lengthAlike(one, other)]
}

// lengthAlike returns for how many bytes two texts are the same.
func lengthAlike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func textOf(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + "\n" + m.Content + "\n")
	}
	return b.String()
}

// beginnings are the last prompts of a model.
type beginnings []string

// mostBeginnings is how many prompts are looked at: more than agents speak before one speaks again.
const mostBeginnings = 128

// repeat returns how much of a prompt repeats the beginning of one of these, and them with it.
func (b beginnings) repeat(q calls.Question) (Repeat, beginnings) {
	text, longest := textOf(q.Messages), 0
	for _, earlier := range b {
		longest = max(longest, lengthAlike(text, earlier))
	}
	fixed := min(longest, len(textOf(q.Messages[:1])))
	if b = append(b, text); len(b) > mostBeginnings {
		b = b[1:]
	}
	return Repeat{fixed, longest - fixed}, b
}
