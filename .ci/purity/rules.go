package main

import (
	"maps"

	"go.temporal.io/sdk/contrib/tools/workflowcheck/determinism"
)

// allowed are the functions that may be impure, and the packages not looked
// at, each with its reason. Whoever calls an allowed function is impure as
// well and must be on the list; an entry that is not needed is reported.
var allowed = map[string]string{
	"roundtable/envs/envtest": "the suite that tests environments: it reads and writes golden files and is " +
		"linked into no program",
	"roundtable/envs/hostiletest": "makes files of strangers for tests, and measures time and memory of who reads them",
	"roundtable/envs/conformance": "the checks of environments, for tests and a command: it asks from several " +
		"goroutines at once",

	"roundtable/envs/qa/records.listFiles":                decoding,
	"roundtable/envs/qa/records.declaredFiles":            decoding,
	"roundtable/envs/qa/records.parseHead":                decoding,
	"roundtable/envs/qa/records.readParquet":              decoding,
	"(*roundtable/envs/qa/records.rowReader).meaningOf":   decoding,
	"roundtable/envs/qa/records.legacyTimestamp":          decoding,
	"roundtable/envs/qa/records.Folder":                   decoding,
	"(*roundtable/envs/qa/records.rowReader).readPresent": decoding,
	"roundtable/envs/qa/records.Read":                     decoding,
	"(*roundtable/envs/qa/records.rowReader).readField":   decoding,

	"roundtable/envs/qa/records/pagecheck": "bounds these files before the library unpacks them, with its " +
		"decompressors",

	"roundtable/envs/qa.New":                  reading,
	"roundtable/envs/qa.fileNames":            reading,
	"(roundtable/envs/qa.Params).readFile":    reading,
	"roundtable/envs/qa.listAll":              reading,
	"roundtable/envs/qa.checkSize":            reading,
	"roundtable/envs/qa.readWhole":            reading,
	"roundtable/envs/qa.readOther":            reading,
	"roundtable/envs/qa.readRows":             reading,
	"roundtable/envs/qa.loadQuestions":        reading,
	"roundtable/envs/qa.readFiles":            reading,
	"roundtable/envs/qa.readShots":            reading,
	"(*roundtable/envs/qa.QA).readPool":       reading,
	"(*roundtable/envs/qa.QA).readChallenges": reading,
	"roundtable/envs/qa.readShotQuestions":    reading,
	"roundtable/envs/qa.takeShots":            reading,
	"roundtable/envs/recsys.New":              reading,
	"roundtable/envs/recsys.loadMovieLens":    reading,
	"roundtable/envs/recsys.readFiles":        reading,
	"roundtable/envs/recsys.readFile":         reading,
	"roundtable/envs/recsys.Check":            "the user's command that checks a folder of data",
	"(roundtable/envs/recsys.File).check":     "the user's command that checks a folder of data",
}

const decoding = "decodes whole files of foreign bytes once, when an environment is built; the Parquet library has " +
	"pools and caches"

const reading = "construction reads the data set once from an fs.FS, outside workflow code"

// outside are packages and names that no pure package may touch at all. A
// moment made by time.Unix carries the zone of the machine until UTC() takes
// it away; who does that at once may say so in a comment.
var outside = map[string]bool{
	"crypto/rand": true, "io/ioutil": true, "log": true, "log/slog": true, "net": true, "net/http": true,
	"os": true, "os/exec": true, "os/signal": true, "os/user": true, "plugin": true, "runtime": true,
	"syscall": true, "unsafe": true,

	"time.Local": true, "(time.Time).Local": true, "time.LoadLocation": true,
	"time.Unix": true, "time.UnixMilli": true, "time.UnixMicro": true,
}

// ordering are functions whose result does not depend on the order in which
// their arguments come, so that they may be given maps.Keys. SortedFunc is
// not among them: what it does with equal elements depends on their order.
var ordering = map[string][]string{"slices": {"Sorted"}}

// references are names whose purity is known: true is impure, false is pure
// whatever its source looks like.
func references() determinism.IdentRefs {
	refs := determinism.DefaultIdentRefs.Clone()
	maps.Copy(refs, determinism.IdentRefs{
		// The generator behind the functions of the package, which the SDK
		// has for the first version of the package only.
		"math/rand/v2.globalRand": true,

		// The clock beyond Now and Sleep.
		"time.Since": true, "time.Until": true, "time.After": true, "time.AfterFunc": true,
		"time.Tick": true, "time.NewTimer": true, "time.NewTicker": true,

		// Reading files, no matter who holds them.
		"(io/fs.FS).Open": true, "io/fs.ReadFile": true, "io/fs.ReadDir": true,
		"io/fs.Stat": true, "io/fs.Glob": true, "io/fs.WalkDir": true,

		// Printing to a writer that is handed in; maps are printed sorted.
		"fmt.Fprint": false, "fmt.Fprintf": false, "fmt.Fprintln": false,

		// Maps are written in the order of their keys; inside are pools and
		// caches that no result shows.
		"encoding/json.Marshal": false, "encoding/json.Unmarshal": false,
		"(*encoding/json.Decoder).Decode": false, "(*encoding/json.Encoder).Encode": false,

		// Templates go through maps in the order of their keys.
		"(*text/template.Template).Parse": false, "(*text/template.Template).Execute": false,
		"text/template.parseFS": false, // from embedded files

		// Expressions of scores: what depends on the clock or on map order is not
		// among their functions (envs/qa/scoring).
		"github.com/expr-lang/expr.Compile": false, "github.com/expr-lang/expr.Run": false,
		"github.com/expr-lang/expr/ast.Walk": false, "github.com/expr-lang/expr.Env": false,

		// The order of these cannot be seen in what they do.
		"maps.Copy": false, "maps.DeleteFunc": false, "maps.Equal": false, "maps.EqualFunc": false,
	})
	return refs
}
