package commits

import (
	"fmt"
	"testing"

	"roundtable/analysis/lake"
)

// A part of another condition or table counts by itself.
func TestChooseCountsParts(t *testing.T) {
	var commits []lake.Marker
	for i, condition := range []string{"a", "a", "b", "b", "b"} {
		commits = append(commits, lake.Marker{Condition: condition, Collaboration: fmt.Sprint(i), Files: map[string]lake.File{"turns": {Size: 45}, "calls": {Size: 40}}})
	}
	if got := chooseCommits(commits, true, 100, 10); len(got) != 4 {
		t.Errorf("%d commits of two conditions are chosen, want 4", len(got))
	}
}

// A batch ends at the limit of bytes or of members; less than a batch waits
// until no more is to come, and a commit that is too large is one by itself.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		final bool
		want  int
	}{
		{nil, true, 0},
		{[]int64{10, 20}, false, 0},
		{[]int64{10, 20}, true, 2},
		{[]int64{50, 50}, false, 2},
		{[]int64{50, 49, 2}, false, 2},
		{[]int64{50, 49, 2}, true, 2},
		{[]int64{500, 1}, false, 1},
		{[]int64{1, 500}, true, 1},
		{[]int64{500}, false, 1},
		{[]int64{1, 1, 1, 1}, false, 4},
		{[]int64{1, 1, 1, 1, 1}, false, 4},
		{[]int64{1, 1, 1, 1, 1}, true, 4},
	} {
		var commits []lake.Marker
		for i, size := range c.sizes {
			commits = append(commits, lake.Marker{Collaboration: fmt.Sprint(i), Files: map[string]lake.File{"turns": {Size: size}, "calls": {Size: size / 2}}})
		}
		got := chooseCommits(commits, c.final, 100, 4)
		if len(got) != c.want || len(got) > 0 && got[0].Collaboration != "0" {
			t.Errorf("of %v, final %t, %d are chosen, want %d", c.sizes, c.final, len(got), c.want)
		}
	}
}
