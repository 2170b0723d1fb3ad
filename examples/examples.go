// Package examples holds campaign files that the program brings: those of the papers'
// tables and figures, and the examples that they extend.
package examples

import "embed"

// Files has the files by their paths below this folder, such as papers/1-table-1.yaml.
//
//go:embed papers/*.yaml voting-rules.yaml deliberation.yaml consensus.yaml consensus-networks.yaml robots.yaml
var Files embed.FS
