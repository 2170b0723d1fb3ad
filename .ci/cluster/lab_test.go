package cluster

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

// lab is a whole cluster, and a campaign on it.
type lab struct {
	t        *testing.T
	dir      string // of the campaign's file; each program has a state folder in it
	name     string // of the campaign
	service  *service
	database *database
	temporal *temporalServer
	s3       *bucketServer
	workers  map[string]*process
}

func newLab(t *testing.T, name string) *lab {
	l := &lab{t: t, dir: t.TempDir(), name: name, service: newService(t), database: newDatabase(t), workers: map[string]*process{}}
	l.database.makeTables(t)
	l.temporal = newTemporal(t, temporalConfig{Postgres: l.database.port})
	l.s3 = newBucketServer(t)
	until(t, "the namespace", 2*time.Minute, func() bool {
		out, err := l.program("prepare", "prepare").CombinedOutput()
		if err != nil {
			t.Logf("prepare: %s", out)
		}
		return err == nil
	})
	return l
}

// environment is that of a program of the cluster: all reach the same servers, by other ways.
func (l *lab) environment(who, temporal, s3 string) []string {
	return append(os.Environ(),
		"OPENAI_API_KEY="+who, "OPENAI_BASE_URL="+l.service.URL+"/v1", "ROUNDTABLE_STATE="+filepath.Join(l.dir, "state-"+who),
		"TEMPORAL_ADDRESS="+temporal, "TEMPORAL_NAMESPACE=lab",
		"ROUNDTABLE_LAKE=s3://"+bucket+"/lake", "AWS_ENDPOINT_URL_S3=http://"+s3, "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID="+accessKey, "AWS_SECRET_ACCESS_KEY="+secretKey, "AWS_EC2_METADATA_DISABLED=true")
}

func (l *lab) program(who string, args ...string) *exec.Cmd {
	return l.command(*roundtable, l.environment(who, l.temporal.address, l.s3.address), args...)
}

func (l *lab) command(program string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = l.dir, env
	return cmd
}

// work starts a worker with its API key for a name.
func (l *lab) work(who string) *process {
	l.t.Helper()
	return l.workBy(who, *roundtable, l.environment(who, l.temporal.address, l.s3.address))
}

func (l *lab) workBy(who, program string, env []string) *process {
	l.t.Helper()
	l.workers[who] = newProcess(l.t, l.dir, who, func() *exec.Cmd { return l.command(program, env, "worker") })
	return l.workers[who]
}

// start starts `run` or another command that drives the campaign.
func (l *lab) start(who string, args ...string) *process {
	l.t.Helper()
	return newProcess(l.t, l.dir, who, func() *exec.Cmd { return l.program(who, args...) })
}

var answerFile = regexp.MustCompile(`answers/campaign=([^/]+)/([^/]+)/0*(\d+)\.(\d+)\.json$`)

// stored are the keys of all answers in the bucket, with the time when each was written.
func (l *lab) stored() map[string]time.Time {
	l.t.Helper()
	keys := map[string]time.Time{}
	l.walk("lake/answers", func(path string, d fs.DirEntry) {
		if m := answerFile.FindStringSubmatch(filepath.ToSlash(path)); m != nil {
			if info, err := d.Info(); err == nil {
				keys[fmt.Sprintf("%s/%s/%s/%s", m[1], m[2], m[3], m[4])] = info.ModTime()
			}
		}
	})
	return keys
}

// finished is how many collaborations have their commit.
func (l *lab) finished() (n int) {
	l.walk("lake/raw/_commits/campaign="+l.name, func(string, fs.DirEntry) { n++ })
	return n
}

// walk visits the objects of the bucket, which the server writes meanwhile.
func (l *lab) walk(below string, visit func(path string, d fs.DirEntry)) {
	_ = filepath.WalkDir(filepath.Join(l.s3.folder, below), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			visit(path, d)
		}
		return nil
	})
}

// verified is the digest of a campaign of which nothing is wrong.
func verified(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	var v struct {
		Digest   string
		Sealed   bool
		OK       bool
		Findings []any
	}
	if e := json.Unmarshal(out, &v); err != nil || e != nil || !v.OK || !v.Sealed || v.Digest == "" {
		// In the first line: a log of all processes follows, and summaries of failures are short.
		t.Fatalf("verify: %v, %v, %v\n%s", err, e, v.Findings[:min(len(v.Findings), 3)], out)
	}
	return v.Digest
}

// books are the sums of `cost`.
type books struct{ Answered, Unknown, USD, Worst float64 }

func (l *lab) books() books {
	l.t.Helper()
	out, err := l.program("reader", "cost", l.name, "--json").Output()
	var c struct {
		Table struct{ Rows []map[string]any }
	}
	if e := json.Unmarshal(out, &c); err != nil || e != nil || len(c.Table.Rows) == 0 {
		l.t.Fatalf("cost: %v, %v\n%s", err, e, out)
	}
	all := c.Table.Rows[len(c.Table.Rows)-1]
	number := func(column string) float64 { n, _ := all[column].(float64); return n }
	return books{number("answered"), number("unknown"), number("cost USD"), number("worst USD")}
}

// shares are how many requests each worker has made.
func shares(asks []ask) string {
	by := map[string]int{}
	for _, a := range asks {
		by[a.by]++
	}
	text := ""
	for _, who := range slices.Sorted(maps.Keys(by)) {
		text += fmt.Sprintf(" %s %d", who, by[who])
	}
	return text
}
