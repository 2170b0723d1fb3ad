package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"roundtable/analysis/language/sentence"
	"roundtable/cmd/internal/analyze"
)

// TestFeatures goes from a campaign to SQL and finds there what table message-language says.
func TestFeatures(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	dir := talkLake(t)
	for _, measured := range []int{8, 0} { // the second time there is nothing to do
		var r analyze.FeaturesReport
		out := output(t, dir, "features", "talk", "--json")
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Collaborations != 8 || r.Messages != 72 || r.Measured != measured || r.Asked != nil || r.Rule != "portable" {
			t.Errorf("features says %s, error %v", out, err)
		}
	}
	output(t, dir, "features", "talk", "--readability", "textstat")
	var rows []struct {
		Words, Grade, Distance float64
		N                      int
	}
	out := output(t, dir, "query", "--json", `WITH rounds AS (
		SELECT condition_id, collaboration_id, avg(words) AS words, avg(grade) AS grade, avg(distance) AS distance
		FROM features WHERE rule = 'portable' AND round = 2 AND simulated GROUP BY ALL)
		SELECT avg(words) AS words, avg(grade) AS grade, avg(distance) AS distance, count(*)::INTEGER AS n FROM rounds
		WHERE condition_id LIKE 'majority%'`)
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 1 || rows[0].N != 4 {
		t.Fatalf("SQL says %s, error %v", out, err)
	}
	var a struct {
		Tables []struct{ Rows []map[string]any }
	}
	noError(t, json.Unmarshal([]byte(output(t, dir, "analyze", "talk", "--table", "message-language", "--json")), &a))
	want := map[string]float64{"words": rows[0].Words, "grade": rows[0].Grade, "information distance": rows[0].Distance}
	for _, row := range a.Tables[0].Rows {
		if row["rule"] != "majority" {
			continue
		}
		name := row["measure"].(string)
		for column, cell := range row {
			if v, ok := cell.(map[string]any); ok && strings.HasSuffix(column, "2") && math.Abs(v["value"].(float64)-want[name]) > 1e-9 {
				t.Errorf("%s in round 2 is %v in table message-language and %v by SQL", name, v["value"], want[name])
			}
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("table message-language has no %v", want)
	}
	t.Setenv(sentence.LibraryVariable, "")
	if out := output(t, dir, "features", "talk", "--embedder", tinyFolder(t)); !strings.Contains(out, "information distances by sentence transformer tiny (") {
		t.Errorf("features says %s", out)
	}
	if out := output(t, dir, "query", "--json", "SELECT count(*)::INTEGER AS n FROM features WHERE embedder LIKE '%tiny%' AND distance BETWEEN 0 AND 2"); !strings.Contains(out, `"n": 48`) && !strings.Contains(out, `"n":48`) {
		t.Errorf("distances by the folder: %s", out)
	}
	if out := output(t, dir, "verify", "talk", "--json"); !strings.Contains(out, `"features": 216`) || !strings.Contains(out, `"ok": true`) {
		t.Errorf("verify says %s", out)
	}
}

func tinyFolder(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../../analysis/language/sentence/testdata/tiny")
	noError(t, err)
	return folder
}

// TestInformationDistanceIsEverywhere: every table and figure that has room for
// information distances has some, and says who embedded.
func TestInformationDistanceIsEverywhere(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	save(t, dir, "talk.yaml", strings.Replace(talkCampaign, "replicates: 4", "replicates: 10", 1))
	output(t, dir, "run", "talk.yaml")
	for _, name := range []string{"early-stopping", "stopping-times", "nested"} {
		var a struct {
			Tables []struct {
				Rows  []map[string]any
				Notes []string
			}
		}
		noError(t, json.Unmarshal([]byte(output(t, dir, "analyze", "talk", "--table", name, "--json")), &a))
		table, filled := a.Tables[0], 0
		for _, row := range table.Rows {
			if row["Information Distance"] != nil {
				filled++
			}
		}
		if notes := strings.Join(table.Notes, "\n"); filled == 0 || !strings.Contains(notes, "hashed TF-IDF") || strings.Contains(notes, "No Information Distance") {
			t.Errorf("table %s has information distances in %d rows:\n%s", name, filled, notes)
		}
	}
	if out := output(t, dir, "analyze", "talk", "--figure", "information-distance", "--json"); !strings.Contains(out, "hashed TF-IDF (1024 dimensions") || !strings.Contains(out, `"value": 0.`) {
		t.Errorf("the figure is\n%s", out)
	}
	output(t, dir, "label", "talk")
	output(t, dir, "report", "talk", "-o", "report.html")
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	noError(t, err)
	for _, none := range []string{"No Information Distance", "No Dialogue Act"} {
		if strings.Contains(string(page), none) {
			t.Errorf("the report says %q", none)
		}
	}
}

// embeddingsService embeds texts by what can be counted in them, and counts
// them. The flags name it, with the key that belongs to it.
func embeddingsService(t *testing.T, texts *atomic.Int32) (s *httptest.Server, flags []string) {
	t.Helper()
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.Header.Get("Authorization") != "Bearer canary-key-5f1d" {
			t.Errorf("asked with %q: %v", r.Header.Get("Authorization"), err)
		}
		texts.Add(int32(len(asked.Input)))
		var data []string
		for i, text := range asked.Input {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d,1]}`, i, len(text), strings.Count(text, "e")))
		}
		fmt.Fprintf(w, `{"data":[%s],"usage":{"prompt_tokens":%d}}`, strings.Join(data, ","), len(data))
	}))
	t.Cleanup(s.Close)
	return s, []string{"--embedder", "openai/tiny", "--embedder-params", fmt.Sprintf(`{"base_url":%q,"api_key_env":"OPENAI_API_KEY"}`, s.URL+"/v1")}
}

// TestEmbeddingsAreBoughtOnce: an endpoint is asked for each text once in a lake.
func TestEmbeddingsAreBoughtOnce(t *testing.T) {
	t.Parallel()
	dir := talkLake(t)
	var texts atomic.Int32
	s, flags := embeddingsService(t, &texts)
	if out := output(t, dir, append([]string{"features", "talk", "--cost-unknown"}, flags...)...); !strings.Contains(out, "at a price that is not known") {
		t.Errorf("features says\n%s", out)
	}
	bought := texts.Load()
	if bought == 0 || bought > 72 {
		t.Errorf("%d texts were embedded", bought)
	}
	s.Close() // what is in the lake needs no service
	out := output(t, dir, append([]string{"analyze", "talk", "--table", "message-language"}, flags...)...)
	if !strings.Contains(out, "Information distances by openai/tiny at "+s.URL) {
		t.Errorf("table message-language is\n%s", out)
	}
	var r analyze.FeaturesReport
	if err := json.Unmarshal([]byte(output(t, dir, append([]string{"features", "talk", "--json"}, flags...)...)), &r); err != nil || r.Messages != 72 || r.Asked == nil || r.Asked.Texts != 0 {
		t.Errorf("features says %+v, error %v", r, err)
	}
}

func TestEmbeddersExplainThemselves(t *testing.T) {
	dir, tiny := talkLake(t), tinyFolder(t)
	t.Chdir(dir)
	t.Setenv("OPENAI_API_KEY", "k")
	t.Setenv(sentence.LibraryVariable, filepath.Join(dir, "no-library.so")) // a folder with ONNX wants it
	for args, want := range map[string]string{
		"--embedder openai/x --embedder-params {\"api_key_env\":\"NO_SUCH_KEY\"}": "NO_SUCH_KEY",
		"--embedder openai/x --embedder-params {\"base\":1}":                      "base",
		"--embedder " + tiny:          "no-library.so",
		"--embedder lake":             "config.json",
		"--embedder nowhere":          "nowhere",
		"--embedder-params {\"a\":1}": "not for tfidf",
		"--readability flesch":        "portable or textstat",
	} {
		for _, command := range []string{"features talk", "analyze talk --table message-language", "analyze talk --figure information-distance", "report talk -o r.html"} {
			if d := ran(t, append(strings.Fields(command), strings.Fields(args)...)...); d.code == 0 || !strings.Contains(d.err, want) {
				t.Errorf("%s %s: code %d\n%s", command, args, d.code, d.err)
			}
		}
	}
	nobody := []string{"features", "talk", "--embedder", "openai/x", "--embedder-params", `{"base_url":"http://localhost:1/v1"}`, "--cost-unknown"}
	if d := ran(t, nobody...); d.code == 0 || !strings.Contains(d.err, "cannot be reached") {
		t.Errorf("code %d\n%s", d.code, d.err)
	}
}

// A campaign's file names the embedder once; analyze, report and features take
// it, and a flag goes before it.
func TestEmbedderOfTheFile(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	save(t, dir, "talk.yaml", talkCampaign+"embedder: openai/text-embedding-3-small\n")
	output(t, dir, "run", "talk.yaml")
	for _, command := range []string{"analyze talk --table message-language", "report talk -o r.html", "analyze talk --table early-stopping"} {
		out, err := program(t, dir, strings.Fields(command)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "--embedder openai/text-embedding-3-small") {
			t.Errorf("%s does not take the file's embedder, whose vectors nobody has bought: %v\n%s", command, err, out)
		}
	}
	if out := output(t, dir, "analyze", "talk", "--table", "message-language", "--embedder", "tfidf"); !strings.Contains(out, "hashed TF-IDF") {
		t.Errorf("the flag does not go before the file:\n%s", out)
	}
	save(t, dir, "wrong.yaml", talkCampaign+"embedder: nowhere\n")
	out, err := program(t, dir, "plan", "wrong.yaml").CombinedOutput()
	if err == nil || !strings.Contains(string(out), `embedder: "nowhere" is not a folder; expected tfidf, openai/MODEL`) {
		t.Errorf("a folder that is not there: %v\n%s", err, out)
	}
}
