package handcoding

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"roundtable/activities/codebook"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
)

// hostile texts steer pages, spreadsheets and readers.
var hostile = []string{
	"</script><script>alert(1)</script>", `=HYPERLINK("http://example.com","x")`, "\u202egnp.exe", "<img src=x onerror=alert(1)>",
	"a;b\n\"c\",d", "\x1b[2J", "+1", "  spaces  ", "line\r\nline", `"><fieldset data-id="9.9">`,
}

func hostileDraw(t *testing.T) (gold.Draw, codebook.Book, []block) {
	t.Helper()
	book, _ := codebook.Load(codebook.Acts)
	d := gold.Draw{Campaign: "talk", CodeBook: book.ID(), Number: 1, Blocks: []gold.Block{{Run: lake.Run{Collaboration: "majority-0a1b2c3d-i0-r0"}, First: 1, Last: 2}}}
	b := block{number: 1, context: []said{{"Alex", hostile[0]}}}
	for i, text := range hostile {
		b.items = append(b.items, item{fmt.Sprintf("1.%d", i+1), i, 1, 0, []said{{"Alex", text}}})
	}
	d.Blocks[0].Items = b.recorded(d)
	return d, book, []block{b}
}

// TestPage: foreign texts are texts and nothing else, the page asks for nothing from elsewhere,
// and says nothing of the condition.
func TestPage(t *testing.T) {
	d, book, blocks := hostileDraw(t)
	data, err := writePage(d, book, blocks)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for n := range tree.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" || a.Key == "action" {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	if count["script"] != 1 || count["img"] != 0 || count["fieldset"] != len(hostile) || count["input"] != len(hostile)*len(book.Labels) {
		t.Errorf("elements %v", count)
	}
	if regexp.MustCompile(`majority|0a1b2c3d|\x{202e}|\x1b`).Match(data) {
		t.Error("the page names the condition, or holds what steers")
	}
}

// filled is the table with labels in it.
func filled(t *testing.T, d gold.Draw, book codebook.Book, blocks []block) [][]string {
	t.Helper()
	data, err := writeCSV(d, book, blocks)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		for _, cell := range row[:3] {
			if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") {
				t.Errorf("a cell begins a formula: %q", cell)
			}
		}
		if row[0] != "" {
			row[3] = "inform; Accept"
		}
	}
	return rows
}

func written(rows [][]string, comma rune, crlf bool) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma, w.UseCRLF = comma, crlf
	_ = w.WriteAll(rows)
	return append([]byte("\xef\xbb\xbf"), b.Bytes()...)
}

// TestTable: what is written is read back, also as spreadsheets of other countries save it.
func TestTable(t *testing.T) {
	d, book, blocks := hostileDraw(t)
	rows := filled(t, d, book, blocks)
	for _, comma := range []rune{',', ';'} {
		for _, crlf := range []bool{false, true} {
			read, err := readTable("t.csv", written(rows, comma, crlf))
			if err != nil {
				t.Fatal(err)
			}
			given, err := check("t.csv", d, book, read)
			if err != nil || len(given) != len(hostile) || fmt.Sprint(given["1.1"]) != "[Inform Accept]" {
				t.Errorf("separator %c: %v, error %v", comma, given, err)
			}
		}
	}
	short := [][]string{{"id", "labels", "check"}} // as the page saves it
	for _, row := range rows[1:] {
		if row[0] != "" {
			short = append(short, []string{row[0], row[3], row[4]})
		}
	}
	read, err := readTable("t.csv", written(short, ',', true))
	if err != nil {
		t.Fatal(err)
	}
	if given, err := check("t.csv", d, book, read); err != nil || len(given) != len(hostile) {
		t.Errorf("%v, error %v", given, err)
	}
}

// TestTableExplains: all errors at once, with lines.
func TestTableExplains(t *testing.T) {
	d, book, blocks := hostileDraw(t)
	rows := filled(t, d, book, blocks)
	rows[2][3] = "Informs"                    // 1.1
	rows[3][2] += "!"                         // 1.2
	rows[4][0] = "7.1"                        // 1.3
	rows[5][3] = ""                           // 1.4
	rows[6][4] = "000000000000"               // 1.5
	rows[7] = append([]string{}, rows[8]...)  // 1.6 is 1.7
	rows = append(rows[:9], rows[10:]...)     // without 1.8
	rows = append(rows, []string{"2.1", "x"}) // an unknown one
	read, err := readTable("t.csv", written(rows, ',', false))
	if err != nil {
		t.Fatal(err)
	}
	_, err = check("t.csv", d, book, read)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`item 1.1: there is no label "Informs"`, "item 1.2: its text is not the one that was drawn", "item 7.1: draw 1 has no such item", "1 item not coded: 1.4",
		`item 1.5: its check is "000000000000"`, "item 1.7: it is in line", "3 items of draw 1 not there: 1.3, 1.6, 1.8", "item 2.1: draw 1 has no such item",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said in\n%v", want, err)
		}
	}
	for data, want := range map[string]string{"": "no header", "id,labels\n": "no column check", "id,labels,check\n\"": "quote"} {
		if _, err := readTable("t.csv", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestNone(t *testing.T) {
	mast, _ := codebook.Load("mast")
	if got, err := readLabels(mast, none); err != nil || len(got) != 0 {
		t.Errorf("a collaboration without a failure: %v, error %v", got, err)
	}
	acts, _ := codebook.Load(codebook.Acts)
	if _, err := readLabels(acts, none); err == nil {
		t.Error("a message without an act is coded")
	}
}
