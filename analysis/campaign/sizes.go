package campaign

import (
	"fmt"
	"slices"
	"strings"
)

// maxSizes environments are listed with their sizes.
const maxSizes = 12

// Sizes returns the note on how many instances and replicates each condition has; "" if the plan is
// not known.
func (v View) Sizes() string {
	var keys, sizes []string
	for _, key := range v.Varying() {
		if root, _, _ := strings.Cut(key, "."); root == "env" {
			keys = append(keys, key)
		}
	}
	same := true
	for _, g := range v.Groups {
		if g.Instances == 0 {
			return ""
		}
		same = same && g.Instances == v.Groups[0].Instances && g.Replicates == v.Groups[0].Replicates
	}
	if len(v.Groups) == 0 {
		return ""
	}
	v.Labels = keys
	if g := v.Groups[0]; same {
		return fmt.Sprintf("Instances × replicates of each condition: %d × %d.", g.Instances, g.Replicates)
	}
	for _, g := range v.Groups {
		name := v.Title(g)
		switch env := g.Shown("env"); {
		case slices.Equal(keys, []string{"env"}):
			name = env
		case slices.Contains(v.Names(), "env") && g.Labels["env"] == "":
			name = env + ", " + name
		}
		size := fmt.Sprintf("%s: %d × %d", name, g.Instances, g.Replicates)
		if !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	if more := len(sizes) - maxSizes; more > 0 {
		sizes = append(sizes[:maxSizes], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("Instances × replicates: %s.", strings.Join(sizes, "; "))
}
