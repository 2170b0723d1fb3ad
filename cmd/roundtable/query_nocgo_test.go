//go:build !cgo

package main

import (
	"errors"
	"testing"

	"roundtable/analysis/sql"
)

// sameEverywhere needs SQL.
func sameEverywhere(*testing.T, string, string) {}

// TestQueryWithoutCgo says how to get it.
func TestQueryWithoutCgo(t *testing.T) {
	o, _, _ := reading(t)
	_, err := runCommand(t, "query", "--lake", o.lake, "SELECT 1")
	if !errors.Is(err, sql.ErrNotBuilt) {
		t.Errorf("error %v", err)
	}
}
