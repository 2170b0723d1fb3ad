package planning

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// PrintDifference writes where the prompts of two conditions differ, line by line, by who
// is asked and when; ids may be shortened to what tells them apart.
func PrintDifference(w io.Writer, prompts []RenderedPrompt, first, second string) error {
	a, err := promptsOf(prompts, first)
	if err != nil {
		return err
	}
	b, err := promptsOf(prompts, second)
	if err != nil {
		return err
	}
	var titles []string
	for _, r := range prompts {
		_, inA := a[r.Title()]
		_, inB := b[r.Title()]
		if (inA || inB) && !slices.Contains(titles, r.Title()) {
			titles = append(titles, r.Title())
		}
	}
	same := 0
	for _, title := range titles {
		lines := diffLines(a[title], b[title])
		if len(lines) == 0 {
			same++
			continue
		}
		fmt.Fprintf(w, "\n=== %s ===\n%s\n", wording.SafeLines(title), strings.Join(lines, "\n"))
	}
	fmt.Fprintf(w, "\n%d of %s %s the same in both. Lines with - are of %s alone, those with + of %s.\n", same,
		wording.Count(len(titles), "prompt"), map[bool]string{true: "is", false: "are"}[same == 1], first, second)
	return nil
}

// promptsOf returns the prompts of a condition by their titles.
func promptsOf(prompts []RenderedPrompt, id string) (map[string]string, error) {
	all, found := map[string]string{}, map[string]bool{}
	for _, r := range prompts {
		for _, c := range r.Conditions {
			if strings.HasPrefix(c, id) {
				found[c], all[r.Title()] = true, r.Text()
			}
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d conditions have an id that begins with %q; name one of those that plan shows",
			len(found), id)
	}
	return all, nil
}

// diffLines returns the lines that only one of two texts has, marked, by a longest
// common subsequence; none if they are equal.
func diffLines(a, b string) (out []string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	common := make([][]int, len(x)+1) // of x[i:] and y[j:]
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := range slices.Backward(x) {
		for j := range slices.Backward(y) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			out, i = append(out, "- "+x[i]), i+1
		default:
			out, j = append(out, "+ "+y[j]), j+1
		}
	}
	return out
}
