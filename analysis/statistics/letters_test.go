package statistics

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Worked by hand.
func TestLettersByHand(t *testing.T) {
	for name, x := range map[string]struct {
		n     int
		pairs [][2]int
		want  []string
	}{
		"nothing":             {0, nil, []string{}},
		"one condition":       {1, nil, []string{"a"}},
		"none differ":         {3, nil, []string{"a", "a", "a"}},
		"all differ":          {3, [][2]int{{0, 1}, {0, 2}, {1, 2}}, []string{"a", "b", "c"}},
		"ends differ":         {3, [][2]int{{0, 2}}, []string{"a", "ab", "b"}},
		"the first is apart":  {3, [][2]int{{0, 1}, {0, 2}}, []string{"a", "b", "b"}},
		"the middle is apart": {3, [][2]int{{0, 1}, {1, 2}}, []string{"a", "b", "a"}},
		"eight":               {8, [][2]int{{0, 6}, {0, 7}, {1, 3}, {1, 4}, {1, 5}, {2, 4}}, nil},
		"chain":               {4, [][2]int{{0, 2}, {0, 3}, {1, 3}}, []string{"a", "ab", "bc", "c"}},
	} {
		differ := func(i, j int) bool { return slices.Contains(x.pairs, [2]int{i, j}) }
		got := Letters(x.n, differ)
		if x.want != nil && !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
		faithful(t, name, got, differ)
	}
}

// faithful fails unless two conditions share a letter exactly if they do not differ,
// and no letter can be left out.
func faithful(t *testing.T, name string, letters []string, differ func(i, j int) bool) {
	t.Helper()
	members := map[rune][]int{}
	for i := range letters {
		for _, r := range letters[i] {
			members[r] = append(members[r], i)
		}
		for j := i + 1; j < len(letters); j++ {
			if shared := strings.ContainsAny(letters[i], letters[j]); shared == differ(i, j) {
				t.Errorf("%s: conditions %d and %d have %q and %q, they differ: %v", name, i, j, letters[i], letters[j], differ(i, j))
			}
		}
	}
	for a, some := range members {
		for b, others := range members {
			if a != b && !slices.ContainsFunc(some, func(i int) bool { return !slices.Contains(others, i) }) {
				t.Errorf("%s: letter %c is within %c", name, a, b)
			}
		}
	}
}

// Whatever pairs differ, also ones that no order explains, letters say exactly these.
func TestLettersAreFaithful(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + draw.IntN(9)
		pairs := map[[2]int]bool{}
		for i := range n {
			for j := i + 1; j < n; j++ {
				pairs[[2]int{i, j}] = draw.Float64() < 0.4
			}
		}
		differ := func(i, j int) bool { return pairs[[2]int{i, j}] }
		faithful(t, "drawn", Letters(n, differ), differ)
	}
}

// More sets than letters have none.
func TestLettersRunOut(t *testing.T) {
	if got := Letters(60, func(i, j int) bool { return true }); got != nil {
		t.Errorf("60 sets have the letters %q", got)
	}
	if got := Letters(52, func(i, j int) bool { return true }); len(got) != 52 || got[51] != "Z" {
		t.Errorf("52 sets have the letters %q", got)
	}
}
