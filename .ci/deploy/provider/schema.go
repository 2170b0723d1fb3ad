package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// schema is one of `terraform providers schema -json`.
type schema struct {
	Version int64 `json:"version"`
	Block   block `json:"block"`
}

type block struct {
	Attributes map[string]attribute `json:"attributes"`
	Blocks     map[string]nested    `json:"block_types"`
}

type attribute struct {
	Type     json.RawMessage `json:"type"`
	Required bool            `json:"required"`
	Optional bool            `json:"optional"`
	Computed bool            `json:"computed"`
}

type nested struct {
	Mode  string `json:"nesting_mode"`
	Block block  `json:"block"`
	Min   int64  `json:"min_items"`
	Max   int64  `json:"max_items"`
}

var modes = map[string]tfprotov5.SchemaNestedBlockNestingMode{
	"single": tfprotov5.SchemaNestedBlockNestingModeSingle,
	"list":   tfprotov5.SchemaNestedBlockNestingModeList,
	"set":    tfprotov5.SchemaNestedBlockNestingModeSet,
}

func (s schema) protocol() (*tfprotov5.Schema, error) {
	b, err := s.Block.protocol()
	return &tfprotov5.Schema{Version: s.Version, Block: b}, err
}

func (b block) protocol() (*tfprotov5.SchemaBlock, error) {
	made := &tfprotov5.SchemaBlock{}
	for _, name := range sorted(b.Attributes) {
		a := b.Attributes[name]
		of, err := typeOf(a.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		made.Attributes = append(made.Attributes, &tfprotov5.SchemaAttribute{
			Name: name, Type: of, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
		})
	}
	for _, name := range sorted(b.Blocks) {
		n := b.Blocks[name]
		inner, err := n.Block.protocol()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		mode, ok := modes[n.Mode]
		if !ok {
			return nil, fmt.Errorf("%s: nesting mode %q is not known", name, n.Mode)
		}
		made.BlockTypes = append(made.BlockTypes, &tfprotov5.SchemaNestedBlock{
			TypeName: name, Block: inner, Nesting: mode, MinItems: n.Min, MaxItems: n.Max,
		})
	}
	return made, nil
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// typeOf reads a type as Terraform writes it: "string", ["list", T], ["object", {…}].
func typeOf(data json.RawMessage) (tftypes.Type, error) {
	var name string
	if json.Unmarshal(data, &name) == nil {
		simple := map[string]tftypes.Type{"string": tftypes.String, "number": tftypes.Number, "bool": tftypes.Bool, "dynamic": tftypes.DynamicPseudoType}
		if t, ok := simple[name]; ok {
			return t, nil
		}
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil || len(parts) != 2 || json.Unmarshal(parts[0], &name) != nil {
		return nil, fmt.Errorf("type %s is not known", data)
	}
	if name == "object" {
		return objectOf(parts[1])
	}
	of, err := typeOf(parts[1])
	if err != nil {
		return nil, err
	}
	switch name {
	case "list":
		return tftypes.List{ElementType: of}, nil
	case "set":
		return tftypes.Set{ElementType: of}, nil
	case "map":
		return tftypes.Map{ElementType: of}, nil
	}
	return nil, fmt.Errorf("type %s is not known", data)
}

func objectOf(data json.RawMessage) (tftypes.Type, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	made := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	for name, field := range fields {
		of, err := typeOf(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		made.AttributeTypes[name] = of
	}
	return made, nil
}
