// Package cluster tests the program as a cluster: Temporal's own server on PostgreSQL, a
// server that speaks S3, and several workers, each a process that can be killed. Programs
// come by flags; `bash .ci/run cluster` builds them and gives the flags.
package cluster

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var (
	roundtable = flag.String("roundtable", "", "the built program")
	another    = flag.String("another", "", "the program with another engine version")
	servers    = flag.String("servers", "", "folder with Temporal's server and sql, and s3server")
	postgres   = flag.String("postgres", "", "folder with PostgreSQL's initdb and postgres; default: Debian's newest")
	page       = flag.String("page", "../../docs/cluster.md", "the page whose commands are run as they stand")
	cells      = flag.Int("cells", 72, "collaborations of TestCluster")
	outage     = flag.Duration("outage", 0, "how long what is killed stays away; default: 5 s, with -long 30 s")
	long       = flag.Bool("long", false, "200 collaborations, every kind of kill twice, and longer outages")
)

func TestMain(m *testing.M) {
	flag.Parse()
	for name, program := range map[string]string{"roundtable": *roundtable, "servers": filepath.Join(*servers, "server")} {
		if _, err := os.Stat(program); err != nil {
			fmt.Fprintf(os.Stderr, "-%s: %v; bash .ci/run cluster builds what is needed\n", name, err)
			os.Exit(2)
		}
	}
	if *postgres == "" {
		if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin"); len(found) > 0 {
			*postgres = slices.Max(found)
		}
	}
	os.Exit(m.Run())
}
