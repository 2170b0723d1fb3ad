package handcoding

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"roundtable/activities/laketest"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/catalogue"
)

// What is drawn is written once, the same again, and can be coded and read back; other labels of the same coder are
// refused, as is what was not drawn.
func TestDrawAndReadBack(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	if err := laketest.Play(ctx, s, "{name: c, replicates: 8, env: exchange, protocol: {name: roundtable, rounds: 2}, rule: plurality, model: scripted/trader}", 0); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	root := &cobra.Command{}
	root.SetOut(&said)
	o := Options{Options: cli.NewOptions(root, catalogue.Builtin()), Asked: 40, Output: filepath.Join(t.TempDir(), "draw.csv"), Coder: "me"}
	book, _ := campaign.LoadBuiltInBook(campaign.ActsBook)
	o.From = o.Output
	if err := os.WriteFile(o.From, []byte("id,labels,check\n1.1,,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.readBack(ctx, s, "c", book); err == nil || !strings.Contains(err.Error(), "nothing of campaign c was drawn") {
		t.Errorf("before a draw: %v", err)
	}
	texts := [2]string{}
	for again := range texts {
		said.Reset()
		if err := o.draw(ctx, s, "c", book); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(o.Output)
		if texts[again] = string(data); err != nil || !strings.Contains(said.String(), "c: draw 1, code book ") || !strings.Contains(said.String(), "Written: "+o.Output) {
			t.Errorf("%v, %s", err, &said)
		}
	}
	if draws, err := gold.ReadDraws(ctx, s, "c", book.ID()); err != nil || len(draws) != 1 || texts[0] != texts[1] {
		t.Errorf("%d draws, %v; the file is the same: %t", len(draws), err, texts[0] == texts[1])
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(texts[0], "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	code := func(label string) error {
		var b strings.Builder
		w := csv.NewWriter(&b)
		for i, row := range rows {
			if row = slices.Clone(row); i > 0 && row[slices.Index(rows[0], columnCheck)] != "" {
				row[slices.Index(rows[0], columnLabels)] = label
			}
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		return errors.Join(os.WriteFile(o.From, []byte(b.String()), 0o600), o.readBack(ctx, s, "c", book))
	}
	said.Reset()
	for range 2 { // once more changes nothing
		if err := code(book.Names()[0]); err != nil || !strings.Contains(said.String(), "coded by hand by me (draw 1") {
			t.Fatalf("%v, %s", err, &said)
		}
	}
	if err := code(book.Names()[1]); err == nil || !strings.Contains(err.Error(), "other labels of draw 1 by me are stored already") {
		t.Errorf("another label: %v", err)
	}
	o.Coder = "you"
	if err := code(book.Names()[1]); err != nil || !strings.Contains(said.String(), "kappa") {
		t.Errorf("%v, %s", err, &said)
	}
	sample, err := gold.Load(ctx, s, "c", book.ID())
	if err != nil || !slices.Equal(sample.Codings[0].Coders, []string{"me", "you"}) {
		t.Errorf("%+v, %v", sample.Codings, err)
	}
	o.Output = filepath.Join(t.TempDir(), "none", "draw.csv")
	if err := o.draw(ctx, s, "c", book); err == nil {
		t.Error("a file that cannot be written is said to be")
	}
	o.Output, o.Asked = "draw.txt", 2
	if err := o.draw(ctx, s, "c", book); err == nil || cli.ExitCode(err) != cli.ExitUsage {
		t.Errorf("%v", err)
	}
}

// A code book is one that is built in or a file, and what is neither says what is wrong with it.
func TestReadBook(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mood": "name: mood\nlabels: [{name: glad, definition: It is glad.}, {name: sad, definition: It is sad.}]\n",
		"slip": "name: slip\nlabels: [{nome: glad}]\n",
		"acts": "name: acts\nlabels: [{name: glad, definition: It is glad.}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, says := range map[string]string{
		campaign.ActsBook: "", filepath.Join(dir, "mood.yaml"): "", "act": "did you mean acts?",
		filepath.Join(dir, "none.yaml"): "--code-book: ", filepath.Join(dir, "slip.yaml"): `no key "nome"`,
		filepath.Join(dir, "acts.yaml"): "the name acts is that of the built-in code book",
	} {
		b, err := ReadBook(name)
		if says == "" && (err != nil || len(b.Names()) < 2) || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, %v; want %q", name, b.Names(), err, says)
		}
	}
}
