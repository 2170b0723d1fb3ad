// Command purity reports whatever keeps a pure package from being pure: the
// clock, global randomness, input and output, goroutines and channels, and
// iteration in the order of a map. Give it the packages to look at:
//
//	purity -test=false ./envs/... ./workflows/decision
//
// What the imported functions do is found by the determinism analyzer of
// Temporal's Go SDK, over all their source. That analyzer looks at calls in
// declared functions; this one also looks at functions passed as values and at
// package variables, since a pure package must hold for any caller.
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"go.temporal.io/sdk/contrib/tools/workflowcheck/determinism"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/singlechecker"
	"golang.org/x/tools/go/types/typeutil"
)

func main() { singlechecker.Main(newAnalyzer(allowed)) }

// newAnalyzer reports the impurities of every package but those allowed: full
// name of a function or package to the reason why it may.
func newAnalyzer(allowed map[string]string) *analysis.Analyzer {
	checker := determinism.NewChecker(determinism.Config{
		IdentRefs:                         references(),
		AcceptsNonDeterministicParameters: ordering,
	})
	return &analysis.Analyzer{
		Name:      "purity",
		Doc:       "reports clock, global randomness, input and output, concurrency and map order",
		FactTypes: []analysis.Fact{new(determinism.PackageNonDeterminisms), new(determinism.NonDeterminisms)},
		Run: func(pass *analysis.Pass) (any, error) {
			if _, err := checker.Run(pass); err != nil { // leaves the facts that importers read
				return nil, err
			}
			checkPackage(pass, allowed)
			return nil, nil
		},
	}
}

// check is one package being looked at.
type check struct {
	*analysis.Pass
	allowed map[string]string
	used    map[string]bool
	ignored map[ast.Node]struct{}
	imports *determinism.PackageLookupCache
}

func checkPackage(pass *analysis.Pass, allowed map[string]string) {
	if allowed[pass.Pkg.Path()] != "" {
		return
	}
	c := check{pass, allowed, map[string]bool{}, map[ast.Node]struct{}{}, determinism.NewPackageLookupCache(pass)}
	for _, file := range pass.Files {
		determinism.UpdateIgnoreMap(pass.Fset, file, c.ignored)
		c.comments(file)
		for _, decl := range file.Decls {
			c.declaration(decl)
		}
	}
	for name := range allowed {
		if strings.HasPrefix(strings.TrimLeft(name, "(*"), pass.Pkg.Path()+".") && !c.used[name] {
			pass.Reportf(pass.Files[0].Package,
				"%s is allowed to be impure, but is pure or gone: take it off the list", name)
		}
	}
}

// comments wants a reason beside each exception.
func (c check) comments(file *ast.File) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			rest, ok := strings.CutPrefix(comment.Text, "//workflowcheck:ignore")
			if ok && strings.TrimSpace(rest) == "" {
				c.Reportf(comment.Pos(), "say why after //workflowcheck:ignore")
			}
		}
	}
}

func (c check) declaration(decl ast.Decl) {
	name := ""
	if f, ok := decl.(*ast.FuncDecl); ok {
		name = c.TypesInfo.Defs[f.Name].(*types.Func).FullName()
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if _, ok := c.ignored[n]; ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && c.orders(call) {
			return false
		}
		switch what := c.impurity(n); {
		case what == "":
		case c.allowed[name] != "":
			c.used[name] = true
		default:
			c.Reportf(n.Pos(), "%s", what)
		}
		return true
	})
}

// orders says whether a call sorts what it is given.
func (c check) orders(call *ast.CallExpr) bool {
	f, ok := typeutil.Callee(c.TypesInfo, call).(*types.Func)
	return ok && f.Pkg() != nil && slices.Contains(ordering[f.Pkg().Path()], f.Name())
}

func (c check) impurity(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Ident:
		return c.use(c.TypesInfo.Uses[n])
	case *ast.RangeStmt:
		return ranged(c.TypesInfo.TypeOf(n.X))
	case *ast.GoStmt:
		return "starts a goroutine"
	case *ast.SelectStmt:
		return "selects among channels"
	case *ast.SendStmt:
		return "sends on a channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "receives from a channel"
		}
	}
	return ""
}

// use says whether a function or package variable is impure. One of the
// package itself is looked at where it is declared.
func (c check) use(object types.Object) string {
	var name, key string
	switch o := object.(type) {
	case *types.Func:
		name = o.Origin().FullName()
		key = name
	case *types.Var:
		if o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
			return "" // a field or a local variable
		}
		name, key = o.Pkg().Path()+"."+o.Name(), o.Name()
	}
	switch {
	case name == "" || object.Pkg() == nil:
		return ""
	case outside[name] || outside[object.Pkg().Path()]:
		return fmt.Sprintf("uses %s, which is not for a pure package", name)
	case c.allowed[name] != "":
		return fmt.Sprintf("uses %s, which is impure by exception", name)
	case object.Pkg() == c.Pkg:
		return ""
	}
	if reasons := c.imports.PackageNonDeterminisms(object.Pkg())[key]; len(reasons) > 0 {
		return fmt.Sprintf("uses %s, impure: %s", name, reasons[0])
	}
	return ""
}

// ranged says whether a range over t has no fixed order.
func ranged(t types.Type) string {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return "goes through a map in no fixed order: sort the keys"
	case *types.Chan:
		return "receives from a channel"
	case *types.Interface: // the constraint of a type parameter
		for embedded := range t.EmbeddedTypes() {
			if what := ranged(embedded); what != "" {
				return what
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if what := ranged(term.Type()); what != "" {
				return what
			}
		}
	}
	return ""
}
