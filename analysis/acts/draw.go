package acts

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
)

// Nodes returns the nodes that an edge touches, in the order Start, the acts, End.
func Nodes(edges []Edge) []string {
	order := slices.Concat([]string{"Start"}, record.Acts[:], []string{"End"})
	return slices.DeleteFunc(order, func(name string) bool {
		return !slices.ContainsFunc(edges, func(e Edge) bool { return e.From == name || e.To == name })
	})
}

// DOT returns a graph of these edges in the language of Graphviz.
func DOT(title string, edges []Edge) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph acts {\n  label=%s; labelloc=t; rankdir=LR; node [shape=box, style=rounded];\n",
		quoteGraphviz(title))
	for _, name := range Nodes(edges) {
		fmt.Fprintf(&b, "  %s;\n", name)
	}
	for _, e := range edges {
		fmt.Fprintf(&b, "  %s -> %s [label=\"%s\", penwidth=%.2f];\n", e.From, e.To, e, widthOf(e))
	}
	b.WriteString("}\n")
	return b.String()
}

// quoteGraphviz returns a string of Graphviz; a backslash would begin one of its escapes.
func quoteGraphviz(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

func widthOf(e Edge) float64 { return .8 + 2.2*e.Probability }
