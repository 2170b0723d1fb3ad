package record

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Table describes a table for readers of the lake.
type Table struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`   // what a row is
	Key     []string `json:"key"`     // columns that tell rows apart within a campaign
	Columns []Column `json:"columns"` // those of Key first
}

// Column describes a column.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`     // string, int32, int64, double, boolean, list of double, timestamp (µs, UTC)
	Nullable bool   `json:"nullable"` // it may be absent
	Digest   bool   `json:"digest"`   // part of the row digest; if not, two runs of a campaign may differ in it
	About    string `json:"about"`
}

//go:embed record.go
var source string

//go:embed annotation.go
var annotations string

// Schema describes the tables, in their order: names and types come from the
// row types, words from the comments next to their fields, so that there is one
// place where a column is described.
func Schema() ([]Table, error) {
	tables, err := described()
	return slices.Clone(tables), err
}

// AnnotationSchema describes the tables of Annotations in the same way.
func AnnotationSchema() ([]Table, error) {
	tables, err := annotationsDescribed()
	return slices.Clone(tables), err
}

// Reading the sources takes a millisecond, which each compaction would pay.
var (
	described = sync.OnceValues(func() ([]Table, error) {
		return describeRows(source, Collaboration{}, Round{}, Turn{}, Ballot{}, Call{})
	})
	annotationsDescribed = sync.OnceValues(func() ([]Table, error) {
		return describeRows(annotations, Label{}, Feature{}, GoldLabel{})
	})
)

// AllSchema returns Schema and then AnnotationSchema.
func AllSchema() ([]Table, error) {
	tables, err := Schema()
	if err != nil {
		return nil, err
	}
	added, err := AnnotationSchema()
	return append(tables, added...), err
}

// describeRows describes row types, which have the columns of Key.
func describeRows(text string, rows ...named) ([]Table, error) {
	key, err := parser.ParseFile(token.NewFileSet(), "record.go", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	shared, err := columnsOfStruct(key, reflect.TypeFor[Key](), true)
	if err != nil {
		return nil, err
	}
	return describe(text, shared, rows...)
}

// named is a row of a table.
type named interface{ Table() string }

// describe describes row types as a source declares them, after the columns that they share.
func describe(text string, shared []Column, rows ...named) ([]Table, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var tables []Table
	for _, row := range rows {
		t := reflect.TypeOf(row)
		columns, err := columnsOfStruct(file, t, row.Table() != Calls)
		if err != nil {
			return nil, err
		}
		about := strings.Join(strings.Fields(findDeclaration(file, t.Name()).doc), " ")
		about = strings.TrimPrefix(about, t.Name()+" is ")
		_, key, _ := strings.Cut(about, "Key: ")
		key, _, _ = strings.Cut(key, ".")
		tables = append(tables, Table{
			Name: row.Table(), About: strings.ToUpper(about[:1]) + about[1:], Key: strings.Split(key, ", "),
			Columns: append(slices.Clip(shared), columns...),
		})
	}
	return tables, nil
}

// columnsOfStruct returns the struct's own columns, without those of Key.
func columnsOfStruct(file *ast.File, t reflect.Type, digest bool) ([]Column, error) {
	comments := findDeclaration(file, t.Name()).comments
	var columns []Column
	for f := range t.Fields() {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		about := comments[f.Name]
		if about == "" {
			return nil, fmt.Errorf("package record: %s.%s needs a comment next to it that says what the column is", t.Name(), f.Name)
		}
		columns = append(columns, Column{
			Name: name, Type: columnType(f), Nullable: f.Type.Kind() == reflect.Pointer,
			Digest: digest && f.Tag.Get("digest") != "-", About: about,
		})
	}
	return columns, nil
}

// columnType returns a column's type in words that readers of Parquet know.
func columnType(f reflect.StructField) string {
	if strings.Contains(f.Tag.Get("parquet"), "timestamp") {
		return "timestamp (µs, UTC)"
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return map[reflect.Kind]string{
		reflect.String: "string", reflect.Int32: "int32", reflect.Int64: "int64",
		reflect.Float64: "double", reflect.Bool: "boolean", reflect.Slice: "list of double",
	}[t.Kind()]
}

// declaration is a struct as it is written: its doc and the comments next to its fields.
type declaration struct {
	doc      string
	comments map[string]string
}

func findDeclaration(file *ast.File, name string) declaration {
	d := declaration{comments: map[string]string{}}
	for _, g := range file.Decls {
		gen, ok := g.(*ast.GenDecl)
		if !ok || len(gen.Specs) != 1 {
			continue
		}
		spec, ok := gen.Specs[0].(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			continue
		}
		d.doc = gen.Doc.Text()
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			for _, n := range f.Names {
				d.comments[n.Name] = strings.TrimSpace(f.Comment.Text())
			}
		}
	}
	return d
}
