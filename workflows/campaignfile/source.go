package campaignfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Source is a campaign file with the command line's changes.
type Source struct {
	Name    string // as Extended.Name
	Data    []byte
	Changes []Change
	Limit   int // most instances of each environment; 0 means no limit
}

// Change is a key whose value the command line sets in place of the file's.
type Change struct {
	Flag  string // as it was given: --set rule=borda
	Key   string // dotted path
	Value string // YAML
}

// NewChange reads KEY=VALUE.
func NewChange(text string) (Change, error) {
	key, value, ok := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !ok || key == "" || slices.Contains(strings.Split(key, "."), "") {
		return Change{}, fmt.Errorf("--set %s: write KEY=VALUE with a key of the campaign file, as rule=borda or "+
			"protocol.rounds=3", text)
	}
	return Change{Flag: "--set " + text, Key: key, Value: value}, nil
}

// NewTextChange returns the change that a flag makes to key; value is a text or a list of texts.
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

// lineOf returns where a node is, to begin a sentence with.
func (p *parser) lineOf(n *yaml.Node) string {
	text := fmt.Sprintf("line %d: ", n.Line&(1<<lineBits-1))
	if source := n.Line >> lineBits; source > 0 {
		text = p.sources[source-1] + ": " + text
	}
	return text
}

// locateErrors returns errors in the order of files and lines, each with its file.
func (p *parser) locateErrors(errs Errors) Errors {
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
			p.errs.add(at, c.Key, "%q is not valid YAML: %s", c.Value,
				cmp.Or(syntaxError.FindStringSubmatch(err.Error())[2], err.Error()))
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

// Parse reads a campaign file and reports all its errors at once, as Errors.
func Parse(data []byte, host Host) (File, error) { return ParseSource(Source{Data: data}, host) }

// ParseSource is Parse for a file with changes and a limit.
func ParseSource(s Source, host Host) (File, error) {
	p := newParser(host)
	p.limit = s.Limit
	file := p.parseFile(s)
	if len(p.errs) > 0 {
		return File{}, p.locateErrors(p.errs)
	}
	return file, nil
}

// parseDocument returns the mapping that a file consists of; nil if it cannot be read.
func (p *parser) parseDocument(data []byte) *yaml.Node {
	if len(data) > MaxFileSize {
		p.errs.add(nil, "", "the file has %d bytes; expected at most %d", len(data), MaxFileSize)
		return nil
	}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		p.reportSyntax(data, err)
		return nil
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		p.errs.add(&yaml.Node{Line: 1}, "", "a campaign file is a mapping with name, env, protocol, rule, model, …")
		return nil
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		p.errs.add(&more, "", "a second document begins; a campaign file has one")
	case !errors.Is(err, io.EOF):
		p.reportSyntax(data, err)
	}
	if left := maxNodes; !p.writeOut(doc.Content[0], &left) {
		p.errs.add(nil, "", "the file has more than %d values when its aliases are written out", maxNodes)
		return nil
	}
	return doc.Content[0]
}

var (
	syntaxError = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)`)
	// The reader counts the lines of these from 0, of others from 1.
	fromZero = regexp.MustCompile(`^did not find expected (<document start>|node content|'-' indicator|key|',' or)`)
	// These it reports without their line.
	anchor   = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)
	badBytes = regexp.MustCompile(`octet|UTF|character|surrogate`)
)

// reportSyntax reports an error of the YAML reader at its line.
func (p *parser) reportSyntax(data []byte, err error) {
	parts := syntaxError.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(parts[1])
	text := parts[2]
	lineAt := func(i int) int { return 1 + bytes.Count(data[:max(i, 0)], []byte("\n")) }
	switch name := anchor.FindStringSubmatch(text); {
	case fromZero.MatchString(text):
		line++
	case line > 0:
	case name != nil:
		line = lineAt(bytes.Index(data, []byte("*"+name[1])))
	case badBytes.MatchString(text):
		line = lineAt(bytes.IndexFunc(data, func(r rune) bool {
			return r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r)
		}))
	default:
		line = 1
	}
	p.errs.add(&yaml.Node{Line: line}, "", "not valid YAML: %s%s", text, explainTab(text))
}

// explainTab says what the reader's words about a tab mean.
func explainTab(text string) string {
	if strings.Contains(text, "cannot start any token") {
		return " (YAML is indented with spaces, not with tabs)"
	}
	return ""
}

// writeOut puts what aliases stand for in their places and checks that keys are
// texts; false if that makes more values than are left.
func (p *parser) writeOut(n *yaml.Node, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	for i, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			child = child.Alias
			n.Content[i] = child
		}
		if n.Kind == yaml.MappingNode && i%2 == 0 && (child.Kind != yaml.ScalarNode || child.ShortTag() != "!!str") {
			p.errs.add(child, "", "%s", badKey(child))
		}
		if !p.writeOut(child, left) {
			return false
		}
	}
	return true
}

// badKey returns why a node cannot be a key, and what to write instead.
func badKey(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return shortText(n) + " cannot be a key; keys are names"
	case isNull(n):
		return "a key is missing before the colon"
	case n.ShortTag() == "!!merge":
		return "mappings cannot be merged with <<; write the keys out"
	}
	return fmt.Sprintf("the key %s is not a name; if it is one, write it in quotes: %q", n.Value, n.Value)
}

func putKey(n *yaml.Node, key string, v *yaml.Node) {
	content := slices.Clone(n.Content)
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == key {
			content[i+1] = v
			n.Content = content
			return
		}
	}
	n.Content = append(content, &yaml.Node{Kind: yaml.ScalarNode, Value: key, Line: v.Line}, v)
}

// paramsOf returns a choice's mapping without its name.
func paramsOf(n *yaml.Node) *yaml.Node {
	params := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "name" {
			params.Content = append(params.Content, n.Content[i], n.Content[i+1])
		}
	}
	return params
}

func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func keyNode(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i]
		}
	}
	return nil
}
