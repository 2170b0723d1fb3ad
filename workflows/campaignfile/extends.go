package campaignfile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxExtended files may extend each other in a row.
const maxExtended = 16

// Extended is a file that a campaign file extends.
type Extended struct {
	Name string // as errors show it; different for each file
	Data []byte
	// Path converts a path in that file to one from the campaign file's folder.
	Path func(path string) string
}

// extendFile returns a file with the keys of the file that it extends, if it does, its
// own before them. from are the names of the files that led to it.
func (p *parser) extendFile(top *yaml.Node, from []string) *yaml.Node {
	n := valueOf(top, "extends")
	if n == nil {
		return top
	}
	own := withoutKey(top, "extends")
	switch {
	case n.Kind != yaml.ScalarNode || isNull(n):
		p.errs.add(n, "extends", "%s is not the path of a campaign file", shortText(n))
		return own
	case p.host.Extended == nil:
		p.errs.add(n, "extends", "there are no other files here")
		return own
	case len(from) == maxExtended:
		p.errs.add(n, "extends", "more than %d files extend each other", maxExtended)
		return own
	}
	file, err := p.host.Extended(from[len(from)-1], n.Value)
	if err != nil {
		p.errs.add(n, "extends", "%v", err)
		return own
	}
	if slices.Contains(from, file.Name) {
		p.errs.add(n, "extends", "%s extends itself",
			strings.Join(append(from[slices.Index(from, file.Name):], file.Name), " → "))
		return own
	}
	base := p.parseExtended(file)
	if base == nil {
		return own
	}
	return mergeFiles(p.extendFile(base, append(slices.Clone(from), file.Name)), own)
}

// parseExtended returns a file's mapping, its paths those of the campaign file; nil if
// it cannot be read.
func (p *parser) parseExtended(file Extended) *yaml.Node {
	source, before := p.newSource(file.Name), p.errs
	p.errs = nil
	top := p.parseDocument(file.Data)
	for i := range p.errs {
		p.errs[i].Line |= source
	}
	p.errs = before.mergedWith(p.errs)
	if top == nil {
		return nil
	}
	movePaths(top, file.Path)
	moveLines(top, source)
	for i := 0; i+1 < len(top.Content); i += 2 { // merging would hide it
		if k := top.Content[i]; keyNode(top, k.Value) != k {
			p.errs.add(k, k.Value, "given twice")
		}
	}
	return top
}

// moveLines puts all nodes on the lines of a source. Aliases share nodes.
func moveLines(n *yaml.Node, source int) {
	n.Line = source | n.Line&(1<<lineBits-1)
	for _, child := range n.Content {
		moveLines(child, source)
	}
}

// movePaths rewrites the paths of a file: those of its folders, and of replays.
func movePaths(top *yaml.Node, move func(string) string) {
	for _, key := range []string{"data", "prompts", "prices", "embedder"} {
		n := valueOf(top, key)
		if n != nil && n.Kind == yaml.ScalarNode && !isNull(n) &&
			(key != "embedder" || strings.Contains(n.Value, "/") && !strings.HasPrefix(n.Value, "openai/")) {
			n.Value = move(n.Value)
		}
	}
	seen := map[*yaml.Node]bool{}
	var replays func(n *yaml.Node)
	replays = func(n *yaml.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		name, file := valueOf(n, "name"), valueOf(n, "file")
		if n.Kind == yaml.MappingNode && name != nil && strings.HasPrefix(name.Value, "replay/") && file != nil &&
			file.Kind == yaml.ScalarNode {
			file.Value = move(file.Value)
		}
		for _, child := range n.Content {
			replays(child)
		}
	}
	replays(top)
}

// mergeFiles returns the keys of two files, the second one's before the first one's.
// A name is never taken over, and what one fixes and the other varies is as the
// second one has it.
func mergeFiles(base, own *yaml.Node) *yaml.Node {
	base = withoutKey(base, "name")
	ownGrid, baseGrid := valueOf(own, "grid"), valueOf(base, "grid")
	for _, path := range alwaysSet(ownGrid) {
		base = withoutPath(base, strings.Split(path, "."))
	}
	if baseGrid != nil && baseGrid.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(baseGrid.Content); i += 2 {
			if key := baseGrid.Content[i].Value; nodeAt(own, key) != nil {
				base = withValue(base, []string{"grid"}, withoutKey(valueOf(base, "grid"), key), "")
			}
		}
	}
	return mergeNodes(base, own, "")
}

// alwaysSet returns the paths that every combination of a grid sets.
func alwaysSet(grid *yaml.Node) []string {
	var paths []string
	if grid == nil || grid.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(grid.Content); i += 2 {
		key, list := grid.Content[i].Value, grid.Content[i+1]
		root, _, _ := strings.Cut(key, ".")
		if slices.Contains(conditionKeys, root) {
			paths = append(paths, key)
			continue
		}
		count := map[string]int{}
		for _, x := range list.Content {
			set := valueOf(x, "set")
			for j := 0; set != nil && j+1 < len(set.Content); j += 2 {
				if path := set.Content[j].Value; count[path]+1 == len(list.Content) {
					paths = append(paths, path)
				} else {
					count[path]++
				}
			}
		}
	}
	return paths
}

// mergeNodes merges mappings by key; of anything else, and of mappings with different
// names, the second one counts. A plug-in that is a name is a mapping with that name.
func mergeNodes(base, own *yaml.Node, path string) *yaml.Node {
	if own.Kind != yaml.MappingNode {
		return own
	}
	if base.Kind == yaml.ScalarNode && !isNull(base) && isChoicePath(path) && valueOf(own, "name") == nil {
		base = &yaml.Node{Kind: yaml.MappingNode, Line: own.Line,
			Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "name", Line: base.Line}, base}}
	}
	if base.Kind != yaml.MappingNode {
		return own
	}
	a, b := valueOf(base, "name"), valueOf(own, "name")
	if b != nil && path != "" && (a == nil || a.Value != b.Value) {
		return own
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Line: own.Line, Content: slices.Clone(base.Content)}
	for i := 0; i+1 < len(own.Content); i += 2 {
		key, v := own.Content[i], own.Content[i+1]
		if keyNode(own, key.Value) != key {
			out.Content = append(out.Content, key, v) // given twice, which is an error later
			continue
		}
		at := slices.IndexFunc(out.Content, func(n *yaml.Node) bool { return n == keyNode(out, key.Value) })
		if at < 0 {
			out.Content = append(out.Content, key, v)
			continue
		}
		out.Content[at], out.Content[at+1] = key, mergeNodes(out.Content[at+1], v, joinKey(path, key.Value))
	}
	return out
}

func isChoicePath(path string) bool {
	return slices.Contains(choiceKeys, path) || path == "labels.model" || strings.HasPrefix(path, "models.")
}

// withoutKey returns a mapping without a key.
func withoutKey(n *yaml.Node, key string) *yaml.Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}

// withoutPath returns a mapping without what is at a path.
func withoutPath(n *yaml.Node, path []string) *yaml.Node {
	inner := valueOf(n, path[0])
	switch {
	case inner == nil:
		return n
	case len(path) == 1:
		return withoutKey(n, path[0])
	}
	return withValue(n, path[:1], withoutPath(inner, path[1:]), "")
}
