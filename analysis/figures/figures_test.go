package figures

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/dialogue"
)

var update = flag.Bool("update", false, "write the golden files again")

func p[T any](v T) *T { return &v }

// run makes one collaboration; a negative score stands for no decision in an
// exchange, where none can be negative, and +1 for that in a recommendation.
func run(env, rule, model string, replicate int, scores ...float64) campaign.Run {
	settings, err := json.Marshal(map[string]any{"env": map[string]string{"name": env}, "rule": map[string]string{"name": rule}, "model": map[string]string{"name": model}})
	if err != nil {
		panic(err)
	}
	key := record.Key{CampaignID: "made-up", ConditionID: env + rule + model, CollaborationID: fmt.Sprint(env, rule, model, replicate)}
	c := record.Collaboration{
		Key: key, Status: "succeeded", Environment: env, Measure: analysistest.MeasureOf(env), Rule: rule, Model: model, Replicate: int32(replicate), InstanceID: fmt.Sprint("item", replicate),
		RoundsPlanned: int32(len(scores)), RoundsRun: int32(len(scores)), SettingsJSON: string(settings), Simulated: strings.HasPrefix(model, "scripted/"),
	}
	if env == campaign.Recsys {
		c.BaselinesJSON = p(fmt.Sprintf(`{"always_4":%d,"bias_model":-0.5,"other":-9}`, -replicate))
	}
	var rounds []record.Round
	var turns []record.Turn
	for i, s := range scores {
		r := record.Round{Key: key, Round: int32(i + 1)}
		if env == campaign.Exchange && s >= 0 || env == campaign.Recsys && s <= 0 {
			r.Score = &s
		}
		rounds = append(rounds, r)
		turns = append(turns, record.Turn{Key: key, Round: r.Round, Kind: "ask", Format: "message", Text: p(strings.Repeat("word ", i+1+replicate))})
	}
	return newRun(c, rounds, turns)
}

const open = -1

func economy() campaign.Campaign {
	return campaign.Campaign{Name: "made-up", Runs: []campaign.Run{
		run(campaign.Exchange, "majority", "openai/a", 0, open, .5, .8), run(campaign.Exchange, "majority", "openai/a", 1, .4, .4, .6),
		run(campaign.Exchange, "rated", "openai/a", 0, .7, .8, .9),
		run(campaign.Exchange, "majority", "scripted/b", 0, open, open, .1), run(campaign.Exchange, "majority", "scripted/b", 1, open, open, open),
	}}
}

func ratings() campaign.Campaign {
	return campaign.Campaign{Name: "made-up", Runs: []campaign.Run{
		run(campaign.Recsys, "majority", "m", 1, 1, -1, 0), run(campaign.Recsys, "majority", "m", 2, -2, -2, -1), run(campaign.Recsys, "majority", "m", 3, 1, -3, -2),
		run(campaign.Recsys, "ranked", "m", 1, 1, 1, 1),
	}}
}

func made(t *testing.T, c campaign.Campaign, name string) Figure {
	t.Helper()
	f, err := Make(c, name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What Figure 3 shows of two runs, by hand: shares 0 and 40 %, 50 and 40, 80
// and 60. The 97.5 % point of Student's t with one degree of freedom is 12.7062.
func TestFigure3ByHand(t *testing.T) {
	f := made(t, economy(), "utility-by-rule")
	if len(f.Panels) != 2 || f.Panels[0].Title != "model openai/a" || f.Panels[1].Title != "model scripted/b" {
		t.Fatalf("panels %+v", f.Panels)
	}
	majority := f.Panels[0].Lines[0]
	if majority.Name != "majority" {
		t.Errorf("the first line is %s; unanimous and majority come first in the paper", majority.Name)
	}
	const t1 = 12.706204736
	for i, want := range []struct{ mean, half, open float64 }{{20, t1 * 20, 50}, {45, t1 * 5, 0}, {70, t1 * 10, 0}} {
		got := majority.Points[i]
		near(t, "mean", *got.Value, want.mean)
		near(t, "low", *got.Low, want.mean-want.half)
		near(t, "high", *got.High, want.mean+want.half)
		near(t, "not yet agreed", majority.Pending[i].Percent, want.open)
	}
	one := f.Panels[0].Lines[1].Points[0]
	if one.N != 1 || one.Low != nil || one.High != nil {
		t.Errorf("one run has the interval %v to %v", one.Low, one.High)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The errors after round 2 are 1, 2 and 3: MAE 2, RMSE √(14/3), and by t with
// two degrees of freedom (4.302653) the interval of the mean square.
func TestErrorsByHand(t *testing.T) {
	mae, rmse := made(t, ratings(), "rating-errors"), made(t, ratings(), "squared-rating-errors")
	at := func(f Figure) Point { return f.Panels[0].Lines[0].Points[1] }
	near(t, "MAE", *at(mae).Value, 2)
	near(t, "MAE low", *at(mae).Low, 2-4.302652730/math.Sqrt(3))
	near(t, "RMSE", *at(rmse).Value, math.Sqrt(14.0/3))
	near(t, "RMSE high", *at(rmse).High, math.Sqrt(14.0/3+4.302652730*7/3))
	near(t, "RMSE low", *at(rmse).Low, 0) // 14/3 - 10.04 is below 0
	if first := mae.Panels[0].Lines[0].Points[0]; first.N != 1 || *first.Value != 2 {
		t.Errorf("after round 1 there is %+v, want the one error 2", first)
	}
	if none := mae.Panels[0].Lines[1].Points[2]; none.Value != nil || none.N != 0 {
		t.Errorf("a rule without a decision has the error %+v", none)
	}
	if notes := strings.Join(mae.Notes, " "); !strings.Contains(notes, "bias_model is the mean rating plus the bias") || !strings.Contains(notes, "stands for the state of the art") {
		t.Errorf("it is not said what bias_model is: %s", notes)
	}
	levels := mae.Panels[0].Levels
	if len(levels) != 2 || levels[0] != (Level{"baseline always_4", 2}) || levels[1].Value != .5 {
		t.Errorf("baselines %v, want 2 over three items and 0.5", levels)
	}
}

func TestLengthOfMessages(t *testing.T) {
	f := made(t, economy(), "message-length")
	near(t, "words in round 2", *f.Panels[0].Lines[0].Points[1].Value, 2.5) // 2 and 3
	if f.Panels[0].Bars {
		t.Error("Figure 5 has bars")
	}
	both := economy()
	both.Runs = append(both.Runs, ratings().Runs...)
	if f = made(t, both, "message-length"); f.Panels[len(f.Panels)-1].Title != "recsys" {
		t.Errorf("the last panel is %q, want the other environment", f.Panels[len(f.Panels)-1].Title)
	}
}

// measured gives every run the distances none, 0.1, 0.2, … plus its replicate.
func measured(c campaign.Campaign) campaign.Campaign {
	for i := range c.Runs {
		r := &c.Runs[i]
		rounds := make([]dialogue.RoundLanguage, r.RoundsRun)
		for n := 1; n < len(rounds); n++ {
			rounds[n] = dialogue.RoundLanguage{Messages: 1, Distance: p(float64(n)/10 + float64(r.Replicate))}
		}
		campaign.Keep(&r.Parts, rounds)
	}
	return dialogue.WithLanguage(c, dialogue.Language{Embedder: "an embedder"})
}

func TestInformationDistance(t *testing.T) {
	if _, err := Make(economy(), distance); err == nil {
		t.Error("there is a figure of distances that nobody has measured")
	}
	f := made(t, measured(economy()), distance)
	points := f.Panels[0].Lines[0].Points
	if points[0].Round != 2 || len(points) != 2 || points[0].N != 2 {
		t.Fatalf("points %+v, want those of rounds 2 and 3 over two collaborations", points)
	}
	near(t, "distance in round 3", *points[1].Value, 0.7) // 0.2 and 1.2
	if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, "an embedder") {
		t.Errorf("it is not said who embedded:\n%s", notes)
	}
	var svg bytes.Buffer
	if err := f.Write(&svg, "svg"); err != nil || !strings.Contains(svgTexts(t, svg.String()), "By an embedder.") {
		t.Errorf("the picture does not say who embedded: %v", err)
	}
}

func TestFiguresGolden(t *testing.T) {
	for name, c := range map[string]campaign.Campaign{"conditions": ended(economy()), "utility-by-rule": economy(), "utility-by-model": economy(), "rating-errors": ratings(), "squared-rating-errors": ratings(), "message-length": economy(), "rounds": ratings(), "debate-accuracy": debates(), "debate-repetitions": debates(), "debate-by-round": debates(), "viewpoint-pool": sampled(), "viewpoints": pooled(), "discussion-accuracy": protocols(), "discussion-by-rounds": sizes(), "challenge-outcomes": contested()} {
		got, err := json.MarshalIndent(made(t, c, name), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(got)+"\n" {
			t.Errorf("figure %s is not that of %s; -update writes it:\n%s", name, golden, got)
		}
	}
}

// Every figure can be drawn, twice the same, as SVG that is XML and as a PNG
// that is a picture; what scripted agents did is marked in it.
func TestPictures(t *testing.T) {
	c := economy()
	c.Runs = slices.Concat(c.Runs, ratings().Runs, debates().Runs, pooled().Runs, sampled().Runs)
	c = measured(c)
	for _, name := range Names() {
		if ofStates[name] != nil || ofDiscussions[name].lines != nil || name == "front" {
			continue // see states_test.go, discussions_test.go and front_test.go
		}
		f := made(t, c, name)
		for _, format := range Formats(name) {
			if format != "svg" && name != "utility-by-rule" && name != "message-length" {
				continue // one with bars and one without: other formats take long
			}
			var one, two bytes.Buffer
			if err := errors.Join(f.Write(&one, format), f.Write(&two, format)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(one.Bytes(), two.Bytes()) {
				t.Errorf("figure %s as %s differs from itself", name, format)
			}
			if format == "png" {
				if _, err := png.Decode(&one); err != nil {
					t.Errorf("figure %s: %v", name, err)
				}
			}
			if format != "svg" {
				continue
			}
			texts := svgTexts(t, one.String())
			marked := strings.Contains(texts, "SIMULATED")
			if about := name == "rating-errors" || name == "squared-rating-errors"; marked == about {
				t.Errorf("figure %s says SIMULATED: %v", name, marked)
			}
		}
	}
}

// svgTexts is all that is written in a picture; what is not XML fails.
func svgTexts(t *testing.T, svg string) string {
	t.Helper()
	var texts strings.Builder
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts.String()
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch x := token.(type) {
		case xml.CharData:
			texts.Write(x)
		case xml.StartElement:
			if x.Name.Local == "script" || x.Name.Local == "image" {
				t.Errorf("an element %s", x.Name.Local)
			}
		}
	}
}

func TestHostileNames(t *testing.T) {
	const name = "<script>alert(1)</script>\x00\x1b[2J\u202e\"'&\xff"
	c := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{run(campaign.Exchange, "majority", name, 0, .5), run(campaign.Exchange, "rated", "b", 0, .5)}}
	f := made(t, c, "utility-by-model")
	inline, err := f.Inline()
	if err != nil {
		t.Fatal(err)
	}
	if texts := svgTexts(t, inline); !strings.Contains(texts, "<script>alert(1)</script>") || strings.ContainsAny(texts, "\x1b\u202e") {
		t.Errorf("written is %q", texts)
	}
	if !strings.HasPrefix(inline, "<svg") || strings.Contains(inline, "#FFFFFF") {
		t.Errorf("an inline figure begins %.80q and has a background", inline)
	}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	failed := run(campaign.Exchange, "majority", "m", 0, .5)
	failed.Status = "failed"
	many := campaign.Campaign{Name: "made-up"}
	for i := range mostLines + 1 {
		many.Runs = append(many.Runs, run(campaign.Exchange, fmt.Sprint("rule", i), "m", 0, .5))
	}
	for name, c := range map[string]campaign.Campaign{"utility-by-rule": ratings(), "rating-errors": economy(), "transitions": economy(), "message-length": {Name: "empty"}, "utility-by-model": {Name: "failed", Runs: []campaign.Run{failed}}} {
		if f, err := Make(c, name); err == nil {
			t.Errorf("figure %s of %s is %+v", name, c.Name, f)
		}
	}
	if err := made(t, many, "utility-by-rule").Write(io.Discard, "svg"); err == nil || !strings.Contains(err.Error(), "--json") {
		t.Errorf("%d lines: %v", mostLines+1, err)
	}
	if err := made(t, economy(), "utility-by-rule").Write(io.Discard, "gif"); err == nil || !strings.Contains(err.Error(), "svg, png") {
		t.Errorf("a GIF: %v", err)
	}
}

// Without spread there is still room around a line.
func TestConstantValues(t *testing.T) {
	c := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{run(campaign.Recsys, "majority", "m", 0, 0, 0), run(campaign.Recsys, "majority", "m", 1, 0, 0)}}
	for _, name := range []string{"rating-errors", "message-length", "rounds"} {
		f := made(t, c, name)
		if s := f.scale(); !(s.low < s.high) {
			t.Errorf("figure %s has the scale %+v", name, s)
		}
		if _, err := f.Inline(); err != nil {
			t.Error(err)
		}
	}
}

// Two groups of an exchange are at 0 and 40 % after round 1, one of them without
// a decision: all come to 20 %, the one that has decided to 40. From round 2 on
// both have decided, and the lines meet. Rules that decide at once, and errors,
// have no second line.
func TestDecidedOnlyByHand(t *testing.T) {
	panel := made(t, economy(), "rounds").Panels[0]
	var names []string
	for _, line := range panel.Lines {
		names = append(names, line.Name)
	}
	if got := strings.Join(names, "; "); got != "majority; majority, decided only; rated" {
		t.Fatalf("the lines are %s", got)
	}
	all, decided := panel.Lines[0], panel.Lines[1]
	for i, want := range []struct {
		all, decided float64
		n            int
	}{{.2, .4, 1}, {.45, .45, 2}, {.7, .7, 2}} {
		near(t, "all", *all.Points[i].Value, want.all)
		near(t, "decided", *decided.Points[i].Value, want.decided)
		if got := decided.Points[i]; got.N != want.n || got.Round != i+1 || all.Points[i].N != 2 {
			t.Errorf("round %d: %d decided of %d, want %d of 2", got.Round, got.N, all.Points[i].N, want.n)
		}
	}
	scripted := made(t, economy(), "rounds").Panels[1].Lines
	if last := scripted[1]; last.Points[0].Value != nil || last.Points[0].N != 0 || *last.Points[2].Value != .1 {
		t.Errorf("nobody has decided before round 3, which has %+v", last.Points)
	}
	for _, line := range made(t, ratings(), "rounds").Panels[0].Lines {
		if line.Beside != "" {
			t.Errorf("an error has the line %s", line.Name)
		}
	}
}

// The second line has the colour of the first, dashed, and both are in the legend.
func TestDecidedOnlyIsDashed(t *testing.T) {
	l, err := made(t, economy(), "rounds").newLayout()
	if err != nil {
		t.Fatal(err)
	}
	solid, dashed := l.styles["majority"], l.styles["majority, decided only"]
	if solid.Color != dashed.Color || len(solid.line.Dashes) > 0 || len(dashed.line.Dashes) == 0 || l.styles["rated"].Color == solid.Color {
		t.Errorf("styles %+v", l.styles)
	}
	svg, err := made(t, economy(), "rounds").Inline()
	if err != nil || !strings.Contains(svgTexts(t, svg), "decided only") {
		t.Errorf("the legend does not name the line: %v", err)
	}
}

// Lines that stand for numbers of agents say so; labels are shown as they are.
func TestLinesSayWhatVaries(t *testing.T) {
	var c campaign.Campaign
	for i, agents := range []string{"3", "4"} {
		r := run(campaign.Exchange, "majority", "openai/a", i, .5)
		r.ConditionID += agents
		r.SettingsJSON = fmt.Sprintf(`{"env":{"name":"exchange","params":{"agents":%s}},"rule":{"name":"majority"},"model":{"name":"openai/a"}}`, agents)
		c.Runs = append(c.Runs, r)
	}
	for _, name := range []string{"utility-by-rule", "rounds"} {
		lines := made(t, c, name).Panels[0].Lines
		if len(lines) != 2 || lines[0].Name != "env.agents 3" || lines[1].Name != "env.agents 4" {
			t.Errorf("figure %s: the lines are %+v", name, lines)
		}
	}
}
