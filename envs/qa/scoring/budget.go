package scoring

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// Bounds of one run of an expression, beside the library's own, which counts elements of lists alone.
const (
	maxBytes = 16 << 20  // of all texts and lists that its parts make
	maxSteps = 1_000_000 // elements that its predicates look at, and stepBytes that its parts read
	// stepBytes are read in about the time that a predicate takes.
	stepBytes = 64
)

// budget is what a run has used of its bounds.
type budget struct{ bytes, steps int }

// spend adds to what was used.
func (b *budget) spend(bytes, steps int) error {
	if b.bytes += bytes; b.bytes > maxBytes || bytes < 0 {
		return fmt.Errorf("it makes texts and lists of more than %d MB", maxBytes>>20)
	}
	if b.steps += steps; b.steps > maxSteps {
		return errors.New("it computes for too long")
	}
	return nil
}

// quick are functions that take no longer for long arguments.
var quick = []string{"len", "first", "last", "get", "type", "int", "float", "abs", "ceil", "floor", "round"}

// reading are operators that read their operands to the end.
var reading = []string{"in", "contains", "matches", "startsWith", "endsWith", "==", "!="}

// counted makes an expression count what it uses: additions and functions are replaced by ones
// of the same meaning that spend from the run's budget.
type counted struct{}

const budgetName = "_budget"

func (counted) Visit(node *ast.Node) {
	call := func(name string, arguments ...ast.Node) ast.Node {
		return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name},
			Arguments: append([]ast.Node{&ast.IdentifierNode{Value: budgetName}}, arguments...)}
	}
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		switch {
		case n.Operator == "+":
			ast.Patch(node, call("_add", n.Left, n.Right))
		case slices.Contains(reading, n.Operator):
			n.Left = call("_read", n.Left)
			if _, constant := n.Right.(*ast.StringNode); !constant { // a pattern is compiled once
				n.Right = call("_read", n.Right)
			}
		}
	case *ast.PredicateNode:
		n.Node = call("_step", n.Node)
	case *ast.BuiltinNode:
		isPredicate := func(a ast.Node) bool { _, is := a.(*ast.PredicateNode); return is }
		f := builtin.Builtins[builtin.Index[n.Name]]
		switch {
		case slices.Contains(quick, n.Name) || slices.ContainsFunc(n.Arguments, isPredicate):
			ast.Patch(node, call("_size", n))
		case f.Fast == nil && f.Safe == nil && f.Func == nil: // the machine has it
			for i := range n.Arguments {
				n.Arguments[i] = call("_read", n.Arguments[i])
			}
			ast.Patch(node, call("_size", n))
		default:
			ast.Patch(node, call("_call", append([]ast.Node{&ast.StringNode{Value: n.Name}}, n.Arguments...)...))
		}
	}
}

// countedFunctions are those that counted puts in.
func countedFunctions() []expr.Option {
	use := func(name string, do func(b *budget, args []any) (any, error)) expr.Option {
		return expr.Function(name, func(args ...any) (any, error) {
			b, ok := args[0].(*budget)
			if !ok || b == nil {
				b = &budget{} // the compiler computes what is constant
			}
			return do(b, args[1:])
		})
	}
	return []expr.Option{
		use("_add", func(b *budget, args []any) (any, error) {
			if left, ok := args[0].(string); ok {
				if right, ok := args[1].(string); ok {
					if err := b.spend(len(left)+len(right), 0); err != nil {
						return nil, err
					}
				}
			}
			return runtime.Add(args[0], args[1]), nil
		}),
		use("_step", func(b *budget, args []any) (any, error) { return args[0], b.spend(0, 1) }),
		use("_read", func(b *budget, args []any) (any, error) { return args[0], b.spend(0, deepSize(args[0])/stepBytes) }),
		use("_size", func(b *budget, args []any) (any, error) { return args[0], b.spend(sizeOf(args[0]), 0) }),
		use("_call", func(b *budget, args []any) (any, error) {
			name, args := args[0].(string), args[1:]
			size := deepSize(args...)
			if err := b.spend(sizeOfResult(name, size, args), size/stepBytes); err != nil {
				return nil, err
			}
			f := builtin.Builtins[builtin.Index[name]]
			switch {
			case f.Fast != nil:
				return f.Fast(args[0]), nil
			case f.Safe != nil:
				v, _, err := f.Safe(args...)
				return v, err
			}
			return f.Func(args...)
		}),
	}
}

// sizeOf returns about how many bytes a value has itself, without what its elements point to.
func sizeOf(v any) int {
	if text, ok := v.(string); ok {
		return len(text)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Slice, reflect.Array:
		return 16 * r.Len()
	case reflect.Map:
		return 64 * r.Len()
	}
	return 16
}

// deepSize returns about how many bytes values have with all that is in them, as often as it is in
// them; no more is counted than may be used.
func deepSize(values ...any) int {
	left := maxBytes + 1
	for _, v := range values {
		spendDeep(v, &left)
	}
	return maxBytes + 1 - left
}

// sizeOfResult returns about how many bytes a function makes at most of arguments of this size.
func sizeOfResult(name string, size int, args []any) int {
	text := func(i int) string {
		if i < len(args) {
			s, _ := args[i].(string)
			return s
		}
		return ""
	}
	switch name {
	case "replace":
		return len(text(0)) + (strings.Count(text(0), text(1))+1)*len(text(2))
	case "join":
		n := 0
		if r := reflect.ValueOf(args[0]); r.Kind() == reflect.Slice {
			n = r.Len()
		}
		return size + n*len(text(1))
	case "split", "fromJSON":
		return 16 * size
	case "sum", "mean", "median", "min", "max", "indexOf", "lastIndexOf", "hasPrefix", "hasSuffix":
		return 0
	}
	return 2 * size
}

// spendDeep takes the size of a value with all that is in it, as often as it is in it, from
// left; nothing more once that is used up.
func spendDeep(v any, left *int) {
	if *left -= sizeOf(v); *left < 0 {
		return
	}
	if m, ok := v.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			*left -= len(key)
			spendDeep(m[key], left)
		}
		return
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice || r.Kind() == reflect.Array {
		for i := 0; i < r.Len() && *left >= 0; i++ {
			spendDeep(r.Index(i).Interface(), left)
		}
	}
}
