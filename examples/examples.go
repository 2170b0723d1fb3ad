// Package examples embeds the program's campaign files: those of the papers' tables and figures,
// the examples that they extend, and the campaign that `try` runs.
package examples

import "embed"

// Files holds the campaign files by their paths below this folder, such as papers/1-table-1.yaml.
//
//go:embed papers/*.yaml try/* voting-rules.yaml deliberation.yaml consensus.yaml consensus-networks.yaml robots.yaml
var Files embed.FS
