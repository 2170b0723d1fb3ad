// Package examples holds campaign files that the program brings: those of the papers'
// tables and figures, the examples that they extend, and the first campaign of `try`.
package examples

import "embed"

// Files has the files by their paths below this folder, such as papers/1-table-1.yaml.
//
//go:embed papers/*.yaml try/* voting-rules.yaml deliberation.yaml consensus.yaml consensus-networks.yaml robots.yaml
var Files embed.FS
