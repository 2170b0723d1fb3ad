package handcoding

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/net/html"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
)

// hostile texts steer pages, spreadsheets and readers.
var hostile = []string{
	"</script><script>alert(1)</script>", `=HYPERLINK("http://example.com","x")`, "\u202egnp.exe", "<img src=x onerror=alert(1)>",
	"a;b\n\"c\",d", "\x1b[2J", "+1", "  spaces  ", "line\r\nline", `"><fieldset data-id="9.9">`,
}

func hostileDraw(t *testing.T) (gold.Draw, campaign.Book, []block) {
	t.Helper()
	book, _ := campaign.LoadBuiltInBook(campaign.ActsBook)
	d := gold.Draw{Campaign: "talk", CodeBook: book.ID(), Number: 1, Blocks: []gold.Block{{Run: lake.Run{Collaboration: "majority-0a1b2c3d-i0-r0"}, First: 1, Last: 2}}}
	b := block{number: 1, context: []said{{"Alex", hostile[0]}}}
	for i, text := range hostile {
		b.items = append(b.items, item{place{1, i + 1}, i, 1, 0, []said{{"Alex", text}}})
	}
	d.Blocks[0].Items = b.recordedItems(d)
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
func filled(t *testing.T, d gold.Draw, book campaign.Book, blocks []block) [][]string {
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
	for _, comma := range []rune{',', ';', '\t'} {
		for _, crlf := range []bool{false, true} {
			read, err := readTable("t.csv", written(rows, comma, crlf))
			if err != nil {
				t.Fatal(err)
			}
			given, err := check("t.csv", d, book, read)
			if err != nil || len(given) != len(hostile) || fmt.Sprint(given[0]) != "[Inform Accept]" {
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
	rows[2][3] = "Informs"                           // p1-m1
	rows[3][2] += "!"                                // p1-m2
	rows[4][0], rows[4][4] = "p7-m1", "k00000000000" // p1-m3
	rows[5][3] = ""                                  // p1-m4
	rows[6][4] = "000000000000"                      // p1-m5
	rows[7] = append([]string{}, rows[8]...)         // p1-m6 is p1-m7
	rows[9][0] = "p1-m1"                             // p1-m8
	rows = append(rows[:10], rows[11:]...)           // without p1-m9
	rows = append(rows, []string{"p2-m1", "x"})      // an unknown one
	read, err := readTable("t.csv", written(rows, ',', false))
	if err != nil {
		t.Fatal(err)
	}
	_, err = check("t.csv", d, book, read)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`item p1-m1: unknown label "Informs"`, "item p1-m2: its text is not the one that was drawn", "item p7-m1: draw 1 has no such item", "1 item not coded: p1-m4",
		`item p1-m5: its check is "000000000000"`, "item p1-m7: it is in line", "5 items of draw 1 not there: p1-m3, p1-m5, p1-m6, p1-m8, p1-m9", "item p2-m1: draw 1 has no such item",
		"item p1-m1: its check is that of item p1-m8",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said in\n%v", want, err)
		}
	}
	for data, want := range map[string]string{
		"": "it is empty; needed are", "id,labels\n": "no column check", "id,labels,check\n\"": "quote", "id,labels,Labels,check\n": "the column Labels twice", "id/labels/check\n": "but id/labels/check", "id,labels,check\n,Inform,\n": "no row with an id",
		"id,labels,check\nk,Inform,\x93\n": "line 2 is not UTF-8", "i\x00d\x00,\x00": "UTF-16 without its mark", "\xff\xfei": "ends within a character",
	} {
		if _, err := readTable("t.csv", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// TestAsSaved: what spreadsheets make of a table is read: encodings, ends of lines, and ids
// that were lost or changed.
func TestAsSaved(t *testing.T) {
	d, book, blocks := hostileDraw(t)
	rows := filled(t, d, book, blocks)
	table := string(written(rows, '\t', false)[3:])
	utf16s := func(text string, order binary.AppendByteOrder) []byte {
		var b []byte
		for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
			b = order.AppendUint16(b, u)
		}
		return b
	}
	var plainRows [][]string // without texts that have lines
	for _, row := range rows {
		plainRows = append(plainRows, []string{row[0], row[3], row[4]})
	}
	for what, data := range map[string][]byte{
		"UTF-16 with tabs":   utf16s(table, binary.LittleEndian),
		"the other order":    utf16s(table, binary.BigEndian),
		"carriage returns":   bytes.ReplaceAll(written(plainRows, ',', false), []byte("\n"), []byte("\r")),
		"with a mark, UTF-8": written(rows, ',', true),
	} {
		read, err := readTable("t.csv", data)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if given, err := check("t.csv", d, book, read); err != nil || len(given) != len(hostile) {
			t.Errorf("%s: %v, error %v", what, given, err)
		}
	}
	for what, change := range map[string]func(id, check string, i int) (string, string){
		"ids as dates":                  func(_, check string, i int) (string, string) { return fmt.Sprintf("%02d. Jan", i), check },
		"no ids":                        func(_, check string, i int) (string, string) { return "", check },
		"capitals, and checks likewise": func(id, check string, i int) (string, string) { return strings.ToUpper(id), strings.ToUpper(check) },
	} {
		changed := [][]string{rows[0]}
		for i, row := range rows[2:] {
			row = slices.Clone(row)
			row[0], row[4] = change(row[0], row[4], i+1)
			changed = append(changed, row)
		}
		read, err := readTable("t.csv", written(changed, ',', false))
		if err != nil {
			t.Fatal(err)
		}
		if given, err := check("t.csv", d, book, read); err != nil || len(given) != len(hostile) {
			t.Errorf("%s: %v, error %v", what, given, err)
		}
	}
}

// TestNoNumbers: neither ids nor checks can be taken for numbers.
func TestNoNumbers(t *testing.T) {
	d, _, _ := hostileDraw(t)
	for n := range 2000 {
		at := place{n/50 + 1, n%50 + 1}
		for _, text := range []string{at.placeID(), place{block: n}.placeID(), checkOf(d, at, "")} {
			if _, err := strconv.ParseFloat(text, 64); err == nil {
				t.Errorf("%s is a number", text)
			}
		}
	}
}

func TestNone(t *testing.T) {
	mast, _ := campaign.LoadBuiltInBook("mast")
	drift, _ := campaign.LoadBuiltInBook("drift")
	acts, _ := campaign.LoadBuiltInBook(campaign.ActsBook)
	for _, c := range []struct {
		book campaign.Book
		cell string
		want string // "" is an error
	}{
		{mast, "none", "[]"}, {mast, "None", "[]"}, {mast, " NONE ;", "[]"}, {mast, "none; Step repetition", ""}, {mast, "fm-1.3; FM-2.1", "[Step repetition Conversation reset]"},
		{drift, "none of these", "[None of these]"}, {drift, "None of these; Lack of Clarity", ""}, {drift, "none", ""}, {drift, "other;logical error", "[Logical Error Other]"},
		{acts, "none", ""}, {acts, "others", "[Others]"},
	} {
		got, err := readLabels(c.book, c.cell)
		if (err == nil) != (c.want != "") || err == nil && fmt.Sprint(got) != c.want {
			t.Errorf("%s, %q: %v, error %v, want %s", c.book.Name, c.cell, got, err, c.want)
		}
	}
	own := campaign.Book{Unit: campaign.UnitMessage, Choice: campaign.AnyLabels, Labels: []campaign.BookLabel{{Name: "Cross"}, {Name: "None", Alone: true}}}
	if got, err := readLabels(own, "none"); err != nil || fmt.Sprint(got) != "[None]" {
		t.Errorf("a label of this name: %v, error %v", got, err)
	}
}
