package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"roundtable/analysis/campaign"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
)

// attack tries to leave every place that a text can stand in.
const attack = "\"'><script>alert(1)</script><img src=http://evil.invalid/x onerror=alert(1)></style></title><svg onload=alert(1)>{{.}}<!-- javascript:alert(1)\x00\x1b[2J\u202e\u2028"

// poison puts the attack into every text, but where a word has a meaning.
func poison(v reflect.Value) {
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case slices.Contains([]string{"Status", "Kind", "Format", "SettingsJSON", "DataJSON", "ConditionID"}, name):
		case field.Kind() == reflect.Struct:
			poison(field)
		case field.Kind() == reflect.String:
			field.SetString(attack)
		case field.Type() == reflect.TypeFor[*string]():
			field.Set(reflect.ValueOf(p(attack)))
		}
	}
}

func TestHostileTextIsInert(t *testing.T) {
	rows := failing()
	poison(reflect.ValueOf(&rows.Collaborations[0]).Elem())
	for i := range rows.Rounds {
		poison(reflect.ValueOf(&rows.Rounds[i]).Elem())
	}
	for i := range rows.Turns {
		poison(reflect.ValueOf(&rows.Turns[i]).Elem())
	}
	for i := range rows.Ballots {
		poison(reflect.ValueOf(&rows.Ballots[i]).Elem())
	}
	rows.Collaborations[0].Status = "succeeded" // so that it is in figures
	s := source(rows, collaboration("majority", 0, 1, attack))
	s.Campaign.Name = attack
	s.Cost.Snapshots = []recorded.ModelSnapshot{{Asked: attack, Answered: attack}, {Asked: attack, Answered: "other"}}
	s.Unusable = func(record.Key, []int) (map[int][]Unusable, error) {
		return map[int][]Unusable{1: {{Fault: attack, Raw: []byte(attack + "\xff\xfe")}}}, errors.New(attack)
	}
	again := failing()
	again.Collaborations[0].CollaborationID, again.Collaborations[0].Failure = attack, p(attack)
	s.Earlier = sequence([]record.Rows{again})
	page := write(t, s)
	inert(t, page)
	if !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the hostile text is not shown at all")
	}
	if strings.ContainsAny(page, "\x00\x1b\u202e\u2028") {
		t.Error("the page has control characters")
	}
}

// inert checks the page as a browser reads it: only elements and attributes of
// ours, links only to itself and its files, and two scripts, which the policy names.
func inert(t *testing.T, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	scripts, policy := 0, ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"img", "iframe", "object", "embed", "base", "form", "image", "use", "foreignobject"}, strings.ToLower(n.Data)) {
			t.Errorf("an element <%s>", n.Data)
		}
		if n.Data == "script" {
			kind := attribute(n, "type")
			if kind == "application/json" && !json.Valid([]byte(n.FirstChild.Data)) {
				t.Error("the list is not JSON")
			}
			if kind == "application/json" || kind == "application/gzip" {
				continue // data, which no browser runs
			}
		}
		if n.Data == "script" {
			scripts++
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, "'sha256-"+hash+"'") {
				t.Errorf("the policy %q does not name the script, sha256-%s", policy, hash)
			}
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "content" && strings.HasPrefix(a.Val, "default-src 'none';"):
				policy = a.Val
			case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "srcdoc", a.Key == "action", strings.Contains(a.Val, "url("):
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case n.Data == "link" && a.Key == "href" && a.Val == "data:,": // no icon
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "report-transcripts/"):
				t.Errorf("a link to %q", a.Val)
			}
		}
	}
	if scripts != 2 || policy == "" {
		t.Errorf("%d scripts, policy %q", scripts, policy)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// The list of a server is drawn by a script as it is.
func TestHostileList(t *testing.T) {
	c := failing().Collaborations[0]
	poison(reflect.ValueOf(&c).Elem())
	c.SettingsJSON = `{"rule": {"name": "a` + "\u202e" + `b"}}`
	asked := Question{Text: "a\u202eb <script>", Options: []string{"\x1b[31m"}}
	l := NewList(campaign.Campaign{Runs: []campaign.Run{{Collaboration: c}}}, Questions{Of: map[AskedIn]Question{{c.ConditionID, c.Instance}: asked}, Problem: "\u202e"})
	l.Add(&c, false)
	data, err := json.Marshal(l)
	if err != nil || strings.ContainsAny(string(data), "\x00\x1b\u202e\u2028<>") {
		t.Errorf("%v: the list can act or turn: %s", err, data)
	}
}
