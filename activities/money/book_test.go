package money

import (
	"testing"
	"time"
)

// What others hold is summed up without the one who asks; that there are any is known of those that hold nothing, too.
func TestGrantsOfOthers(t *testing.T) {
	b := newBook(nil, "c")
	later := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	b.owners = map[string]entry{"a": {Used: Amount{NanoUSD: 1}, Open: Amount{NanoUSD: 2}, ExpiresAt: later.UnixMicro()}, "b": {}}
	for owner, want := range map[string]foreign{
		"a": {any: true}, "b": {used: Amount{NanoUSD: 1}, open: Amount{NanoUSD: 2}, any: true, until: later.Add(maxClockSkew)},
	} {
		if got := b.grantsOfOthers(owner); got.used != want.used || got.open != want.open || got.any != want.any || !got.until.Equal(want.until) {
			t.Errorf("but for %s: %+v, want %+v", owner, got, want)
		}
	}
	delete(b.owners, "b")
	if got := b.grantsOfOthers("a"); got != (foreign{}) {
		t.Errorf("of nobody: %+v", got)
	}
}
