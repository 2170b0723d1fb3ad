package plan

import (
	"bytes"
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

// parseDocument returns the mapping that a file consists of; nil if it cannot be read.
func (p *parser) parseDocument(data []byte) *yaml.Node {
	if len(data) > MaxFileSize {
		p.errs.add(nil, "", "the file has %d bytes; at most %d are accepted", len(data), MaxFileSize)
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
