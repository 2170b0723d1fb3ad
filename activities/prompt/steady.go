package prompt

import (
	"reflect"
	"slices"
	"text/template"
	"text/template/parse"
)

// lasting are the fields of a View that are the same in every turn of a speaker.
var lasting = []string{"Me", "Agents", "Rounds", "SystemPrompt", "Protocol", "Seat", "Seats"}

// isSteady reports whether a template names nothing that changes from turn to turn:
// what it renders once for a speaker is what it renders each time.
func isSteady(set *template.Template, name string) bool {
	view, seen := reflect.TypeFor[View](), map[string]bool{}
	changes := func(name string) bool {
		field, ok := view.FieldByName(name)
		return ok && len(field.Index) == 1 && !slices.Contains(lasting, name) // others are the SystemPrompt's
	}
	var steady func(name string) bool
	steady = func(name string) bool {
		t := set.Lookup(name)
		if t == nil || seen[name] {
			return t != nil
		}
		seen[name] = true
		for _, word := range namesBelow(t.Root) {
			if changes(word.name) || word.included && !steady(word.name) {
				return false
			}
		}
		return true
	}
	return steady(name)
}

// word is a name in a template: of a field, or of a template that it includes.
type word struct {
	name     string
	included bool
}

// namesBelow returns all names below a node.
func namesBelow(node parse.Node) (all []word) {
	fields := func(names []string) {
		for _, n := range names {
			all = append(all, word{name: n})
		}
	}
	below := func(nodes ...parse.Node) {
		for _, n := range nodes {
			if n != nil && !reflect.ValueOf(n).IsNil() {
				all = append(all, namesBelow(n)...)
			}
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		below(n.Nodes...)
	case *parse.ActionNode:
		below(n.Pipe)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			below(c.Args...)
		}
	case *parse.FieldNode:
		fields(n.Ident)
	case *parse.VariableNode:
		fields(n.Ident)
	case *parse.ChainNode:
		fields(n.Field)
		below(n.Node)
	case *parse.IfNode:
		below(n.Pipe, n.List, n.ElseList)
	case *parse.RangeNode:
		below(n.Pipe, n.List, n.ElseList)
	case *parse.WithNode:
		below(n.Pipe, n.List, n.ElseList)
	case *parse.TemplateNode:
		all = append(all, word{n.Name, true})
		below(n.Pipe)
	}
	return all
}
