package protocol

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const shared = "../../../shared/"

// replies of agents 0, 1, …; an answer "" could not be read.
func replies(answers ...string) []reply {
	var all []reply
	for i, a := range answers {
		all = append(all, reply{agent: i, entry: 100 + i, key: a})
	}
	return all
}

func agentsOf(all []reply) []int {
	who := []int{}
	for _, r := range all {
		who = append(who, r.agent)
	}
	return who
}

// What the authors' functions recorded, every row: MADC by receiver and truth
// last. Their other functions drop or misplace peers if an answer is unread;
// there truth first is compared on the rows in which all were read.
func TestRecordedOrders(t *testing.T) {
	data, err := os.ReadFile(shared + "data/recorded/madc/peer_order.jsonl")
	if err != nil {
		t.Skip("no recorded orders next to this checkout")
	}
	rows, read := 0, 0
	for line := range strings.Lines(string(data)) {
		var row struct {
			Receiver   int
			Answers    []*string
			GT         string
			Peers      []int
			MADC       []int `json:"MADC_I61"`
			TruthLast  []int `json:"TruthLast_I41"`
			TruthFirst []int `json:"TruthFirst_I2"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows++
		answers, allRead := make([]string, len(row.Answers)), true
		for i, a := range row.Answers {
			if a != nil {
				answers[i] = *a
			} else {
				allRead = false
			}
		}
		want := map[string][]int{OrderFixed: row.Peers, OrderMADCPerReceiver: row.MADC, OrderTruthLast: row.TruthLast}
		if allRead {
			read++
			want[OrderTruthFirst] = row.TruthFirst
		}
		for name, peers := range want {
			got := agentsOf(order(name, replies(answers...), row.Receiver, []string{row.GT}, nil))
			if !slices.Equal(got, peers) {
				t.Errorf("row %d, %s: %v, recorded %v", rows, name, got, peers)
			}
		}
	}
	if rows != 1200 || read < 900 {
		t.Errorf("%d rows, %d with all answers read", rows, read)
	}
}

// Algorithm 1's global order, on the reference vectors and by hand.
func TestGlobalConsistency(t *testing.T) {
	for _, x := range []struct {
		answers string
		want    string
	}{
		{"A A A B", "[3 1 2 0]"}, // the first of the most consistent goes last
		{"B A B A C", "[4 1 2 3 0]"},
		{"A B C D", "[1 2 3 0]"},
		{"C A - A -", "[0 2 4 3 1]"}, // what was not read is like nothing
	} {
		answers := strings.Fields(strings.ReplaceAll(x.answers, "-", "_"))
		for i := range answers {
			answers[i] = strings.Trim(answers[i], "_")
		}
		if got := fmt.Sprint(agentsOf(byConsistency(replies(answers...)))); got != x.want {
			t.Errorf("%s: %s, want %s", x.answers, got, x.want)
		}
	}
	data, err := os.ReadFile(shared + "vectors/other_papers.json")
	if err != nil {
		return
	}
	var vectors struct {
		MADC []struct {
			Answers []string
			Order   []int
		}
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors.MADC) < 5 {
		t.Fatalf("%d vectors: %v", len(vectors.MADC), err)
	}
	for _, v := range vectors.MADC {
		if got := agentsOf(byConsistency(replies(v.Answers...))); !slices.Equal(got, v.Order) {
			t.Errorf("%v: %v, want %v", v.Answers, got, v.Order)
		}
	}
}

// Every order shows every peer once and the receiver never; truth orders split
// right from wrong; all but random are stable.
func TestOrdersArePermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers := rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C", ""}), 1, 12).Draw(t, "answers")
		receiver := rapid.IntRange(-1, len(answers)-1).Draw(t, "receiver")
		for _, name := range Orders() {
			got := order(name, replies(answers...), receiver, []string{"A"}, rand.New(rand.NewPCG(1, 2)))
			who := agentsOf(got)
			want := slices.DeleteFunc(agentsOf(replies(answers...)), func(i int) bool { return i == receiver })
			sorted := slices.Sorted(slices.Values(who))
			if !slices.Equal(sorted, want) {
				t.Fatalf("%s shows %v of %v", name, who, want)
			}
			for i := 1; i < len(got); i++ {
				a, b := got[i-1], got[i]
				if name == OrderTruthLast && a.key == "A" && b.key != "A" || name == OrderTruthFirst && a.key != "A" && b.key == "A" {
					t.Fatalf("%s: %v", name, got)
				}
				if (name == OrderTruthLast || name == OrderTruthFirst) && (a.key == "A") == (b.key == "A") && a.agent > b.agent {
					t.Fatalf("%s is not stable: %v", name, got)
				}
			}
		}
	})
}
