package wire

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/model"
)

// JSONMode is how a service is told that the answer must be JSON.
type JSONMode string

// Modes that all services have; one may have others besides.
const (
	Auto   JSONMode = "auto"   // Schema until the service refuses it, then Plain
	Schema JSONMode = "schema" // the service is given the schema
	Plain  JSONMode = "plain"  // the prompt alone says so
)

// Check refuses what is none of the modes that are accepted; an empty one is Auto.
func (m JSONMode) Check(accepted ...JSONMode) error {
	if m == "" || slices.Contains(accepted, m) {
		return nil
	}
	names := make([]string, len(accepted))
	for i, a := range accepted {
		names[i] = string(a)
	}
	return fmt.Errorf("json is %q; it is one of %s", string(m), strings.Join(names, ", "))
}

// Of returns the mode of one request; refused says that the service takes no schema.
func (m JSONMode) Of(r model.Request, refused bool) JSONMode {
	switch {
	case len(r.Schema) == 0:
		return Plain
	case m != Auto:
		return m
	case refused:
		return Plain
	}
	return Schema
}
