package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Source is a campaign file with what the command line changes in it.
type Source struct {
	Name    string // as Host.Extended calls files
	Data    []byte
	Changes []Change
	Limit   int // instances of each environment at most; 0 is no limit
}

// Change is a key that the command line gives in the place of the file.
type Change struct {
	Flag  string // as it was given: --set rule=borda
	Key   string // dotted path
	Value string // YAML
}

// NewChange reads KEY=VALUE.
func NewChange(text string) (Change, error) {
	key, value, ok := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !ok || key == "" || slices.Contains(strings.Split(key, "."), "") {
		return Change{}, fmt.Errorf("--set %s: write KEY=VALUE with a key of the campaign file, as rule=borda or protocol.rounds=3", text)
	}
	return Change{Flag: "--set " + text, Key: key, Value: value}, nil
}

// NewTextChange returns the change of a flag whose value is a text, or a list of texts.
func NewTextChange[T string | []string](flag, key string, value T) Change {
	data, err := json.Marshal(value) // JSON is YAML
	if err != nil {
		panic("plan: " + err.Error()) // texts always marshal
	}
	return Change{Flag: flag, Key: key, Value: string(data)}
}

// A line of a node or an error holds, above lineBits, of which source it is: 0 is the
// campaign file, n the n-th of the parser's sources. So every node that is made from
// another keeps its place.
const lineBits = 32

// newSource returns the number of a source: a file, or a flag of the command line.
func (p *parser) newSource(name string) int {
	p.sources = append(p.sources, name)
	return len(p.sources) << lineBits
}

// isFlag reports whether a node comes from the command line: it has no line.
func isFlag(n *yaml.Node) bool { return n.Line > 0 && n.Line&(1<<lineBits-1) == 0 }

// located returns errors in the order of files and lines, each with its file.
func (p *parser) located(errs FileErrors) FileErrors {
	errs = errs.sortedByLine()
	for i, f := range errs {
		if source := f.Line >> lineBits; source > 0 {
			errs[i].File, errs[i].Line = p.sources[source-1], f.Line&(1<<lineBits-1)
		}
	}
	return errs
}

// applyChanges returns the file with what the command line gives in its place.
func (p *parser) applyChanges(top *yaml.Node, changes []Change) *yaml.Node {
	given := map[string]string{}
	for _, c := range changes {
		source := p.newSource(c.Flag)
		at := &yaml.Node{Line: source}
		if other, twice := given[c.Key]; twice {
			p.errs.add(at, c.Key, "is given by %s, too", other)
			continue
		}
		given[c.Key] = c.Flag
		if root, _, _ := strings.Cut(c.Key, "."); root == "extends" {
			p.errs.add(at, c.Key, "cannot be given on the command line")
			continue
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(c.Value), &doc); err != nil {
			p.errs.add(at, c.Key, "%q is not valid YAML: %s", c.Value, cmp.Or(syntaxError.FindStringSubmatch(err.Error())[2], err.Error()))
			continue
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: ""}
		if len(doc.Content) > 0 {
			value = doc.Content[0]
		}
		if left := maxNodes; !p.writeOut(value, &left) {
			p.errs.add(at, c.Key, "has more than %d values", maxNodes)
			continue
		}
		atSource(value, source)
		if root, rest, _ := strings.Cut(c.Key, "."); root == "grid" && rest != "" {
			top = withValue(top, []string{root, rest}, value, "") // axes are dotted keys
		} else {
			top = withValue(top, strings.Split(c.Key, "."), value, "")
		}
	}
	return top
}

// atSource puts all nodes of a value on no line of a source.
func atSource(n *yaml.Node, source int) {
	n.Line = source
	for _, child := range n.Content {
		atSource(child, source)
	}
}

// withValue returns a mapping with another value at a path; nodes are not changed,
// since aliases share them. A key that holds dots is found if the mapping has it.
// parent is the key of n: a plug-in that is a name becomes a mapping with that name.
func withValue(n *yaml.Node, path []string, v *yaml.Node, parent string) *yaml.Node {
	if len(path) == 0 {
		return v
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Line: v.Line}
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		out.Content, out.Line = slices.Clone(n.Content), n.Line
	case n.Kind == yaml.ScalarNode && slices.Contains(choiceKeys, parent) && !isNull(n):
		out.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Value: "name", Line: n.Line}, n}
	}
	key, rest := path[0], path[1:]
	for i := len(path); i > 1; i-- {
		if long := strings.Join(path[:i], "."); valueOf(out, long) != nil {
			key, rest = long, path[i:]
			break
		}
	}
	if parent != "" {
		parent += "."
	}
	putKey(out, key, withValue(valueOf(out, key), rest, v, parent+key))
	return out
}

// Parse reads a campaign file and reports all its errors at once, as FileErrors.
func Parse(data []byte, host Host) (File, error) { return ParseSource(Source{Data: data}, host) }

// ParseSource is Parse of a file with changes.
func ParseSource(s Source, host Host) (File, error) {
	p := newParser(host)
	p.limit = s.Limit
	file := p.parseFile(s)
	if len(p.errs) > 0 {
		return File{}, p.located(p.errs)
	}
	return file, nil
}
