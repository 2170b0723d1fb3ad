package scoring

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

// Case holds the variables of an expression. Answer and Key are a number where the question asks
// for one, a list of letters where it asks for several options, and else a text: for a choice its
// letter.
type Case struct {
	Answer   any            `expr:"answer"`
	Key      any            `expr:"key"`    // the right answer; nil if there is none
	Keys     []any          `expr:"keys"`   // all right answers
	Option   string         `expr:"option"` // the text of the chosen option
	ID       string         `expr:"id"`
	Question string         `expr:"question"`
	Context  string         `expr:"context"`
	Options  []string       `expr:"options"`
	Fields   map[string]any `expr:"fields"`  // the question's columns as in its file
	Budget   *budget        `expr:"_budget"` // of the run; set by Score
}

// Expression computes a score.
type Expression struct {
	source  string
	program *vm.Program
}

// Bounds of an expression: its length, its parts, and how deep functions with a
// predicate (all, filter, …) lie in each other.
const (
	maxSource = 4000
	maxNodes  = 500
	maxNested = 2
)

// refused are functions whose result depends on the clock, on files of the machine or
// on the order of a map, or that make long texts of short ones.
var refused = []string{"now", "date", "duration", "timezone", "keys", "values", "toPairs", "repeat"}

// Compile parses an expression and checks its names and types against Case.
func Compile(source string) (Expression, error) {
	if strings.TrimSpace(source) == "" || len(source) > maxSource {
		return Expression{}, fmt.Errorf("expression has %d characters; expected 1 to %d", len(source), maxSource)
	}
	options := append(countedFunctions(), expr.Env(Case{}), expr.MaxNodes(maxNodes), expr.Patch(counted{}))
	for _, name := range refused {
		options = append(options, expr.DisableBuiltin(name))
	}
	program, err := expr.Compile(source, options...)
	if err != nil {
		return Expression{}, fmt.Errorf("expression: %s; it may use answer, key, keys, option, id, question, "+
			"context, options and fields", oneLine(err))
	}
	depth := nesting{}
	node := program.Node()
	ast.Walk(&node, depth)
	if depth.depthOf(node) > maxNested {
		return Expression{}, fmt.Errorf("expression: functions with a predicate lie %d deep in each other; expected %d",
			depth.depthOf(node), maxNested)
	}
	return Expression{source, program}, nil
}

// nesting is how deep predicates lie within each node that has some.
type nesting map[ast.Node]int

// Visit is called for a node after those within it.
func (n nesting) Visit(node *ast.Node) {
	if p, ok := (*node).(*ast.PredicateNode); ok {
		n[p] = 1 + n.depthOf(p.Node)
	}
}

// depthOf returns the depth of the deepest predicate within a node.
func (n nesting) depthOf(node ast.Node) int {
	found := deepest{depths: n}
	ast.Walk(&node, &found)
	return found.depth
}

type deepest struct {
	depths nesting
	depth  int
}

// Visit notes the depth of a predicate.
func (d *deepest) Visit(node *ast.Node) { d.depth = max(d.depth, d.depths[*node]) }

// oneLine returns an error without the picture of the expression.
func oneLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// Score returns the expression's value for c: a number from 0 to 1; true is 1, false 0. Other
// values are errors.
func (e Expression) Score(c Case) (score float64, err error) {
	defer func() {
		if r := recover(); r != nil { // the library's own: it returns errors as far as it sees them
			score, err = 0, fmt.Errorf("the expression fails: %v", r)
		}
	}()
	if e.program == nil {
		return 0, errors.New("there is no expression")
	}
	c.Budget = &budget{}
	v, err := expr.Run(e.program, c)
	if err != nil {
		return 0, fmt.Errorf("the expression fails: %s", oneLine(err))
	}
	switch v := v.(type) {
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case int:
		score = float64(v)
	case int64:
		score = float64(v)
	case float64:
		score = v
	default:
		return 0, fmt.Errorf("the expression gives %.40q, a %T; a number from 0 to 1, true or false is expected",
			fmt.Sprint(v), v)
	}
	if math.IsNaN(score) || score < 0 || score > 1 {
		return 0, fmt.Errorf("the expression gives %v; a number from 0 to 1, true or false is expected", v)
	}
	return score, nil
}
