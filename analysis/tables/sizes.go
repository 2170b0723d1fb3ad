package tables

import (
	"fmt"
	"slices"
	"strings"
)

// maxSizes environments are listed with their sizes.
const maxSizes = 12

// sizes says how many instances and replicates the plan has of each condition;
// empty if it is not known.
func (v view) sizes() string {
	var keys, sizes []string
	for _, key := range v.varying() {
		if root, _, _ := strings.Cut(key, "."); root == "env" {
			keys = append(keys, key)
		}
	}
	same := true
	for _, g := range v.groups {
		if g.instances == 0 {
			return ""
		}
		same = same && g.instances == v.groups[0].instances
	}
	if len(v.groups) == 0 {
		return ""
	}
	v.labels = keys
	if g := v.groups[0]; same {
		return fmt.Sprintf("Instances × replicates of each condition: %d × %d.", g.instances, g.replicates)
	}
	for _, g := range v.groups {
		name := v.title(g)
		switch env := g.shown("env"); {
		case slices.Equal(keys, []string{"env"}):
			name = env
		case slices.Contains(keys, "env") && g.labels["env"] == "":
			name = env + ", " + name
		}
		size := fmt.Sprintf("%s: %d × %d", name, g.instances, g.replicates)
		if !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	if more := len(sizes) - maxSizes; more > 0 {
		sizes = append(sizes[:maxSizes], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("Instances × replicates: %s.", strings.Join(sizes, "; "))
}
