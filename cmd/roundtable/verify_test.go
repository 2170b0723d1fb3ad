package main

import (
	"bytes"
	"context"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

func TestVerifyCountsAgainstThePlan(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	ctx := context.Background()
	for n := range p.Campaign.Size() {
		commit(t, s, p, n, 0, "succeeded")
	}
	out, err := runCommand(t, "verify", "reading", "--lake", o.Lake)
	noError(t, err)
	contains(t, out, "22 of 22 planned cells have ended", "22 commits", "Digest: ", "Nothing is wrong")
	v, err := integrity.Check(ctx, s, catalogue.Builtin(), "reading")
	if err != nil || v.Sealed {
		t.Fatalf("%v; sealed %t without a seal", err, v.Sealed)
	}
	seal := func(digest string) {
		noError(t, commits.WriteCard(ctx, s, "reading"))
		if err := s.Replace(ctx, lake.SuccessKey("reading"), lake.Success{Revision: p.Campaign.Revision(), Digest: digest}.Bytes(), ""); err != nil {
			t.Fatal(err)
		}
	}
	seal(v.Digest)
	if v, err = integrity.Check(ctx, s, catalogue.Builtin(), "reading"); err != nil || !v.OK || !v.Sealed {
		t.Fatalf("a sealed campaign: %v, %+v", err, v)
	}
	places := []int{3, 11}
	if *long {
		places = []int{0, 3, 7, 10, 11}
	}
	flips(t, s, "lake/_campaigns/reading/", places)
	seal("0000")
	_, err = runCommand(t, "verify", "reading", "--lake", o.Lake)
	fails(t, err, cli.ExitFailed, "1 thing is wrong")
	seal(v.Digest)
	lost := lake.Marker{Campaign: "reading", Collaboration: p.Campaign.CollaborationID(p.Campaign.Cell(3))}.Key()
	noError(t, s.Delete(ctx, lost))
	out, err = runCommand(t, "verify", "reading", "--lake", o.Lake)
	fails(t, err, cli.ExitFailed)
	contains(t, out, "21 of 22", "1 of 22 are missing or damaged")
}

// flips damages every object below a folder in several places; verify finds each.
func flips(t *testing.T, s store.Store, folder string, places []int) {
	t.Helper()
	ctx := context.Background()
	objects, err := s.List(ctx, folder)
	if err != nil || len(objects) < 7 {
		t.Fatalf("%d objects: %v", len(objects), err)
	}
	for _, o := range objects {
		whole, err := s.Get(ctx, o.Key)
		noError(t, err)
		for _, i := range places {
			damaged := bytes.Clone(whole)
			if at := i * (len(whole) - 1) / 10; i < 11 {
				damaged[at] ^= 1 << (i % 8)
			} else {
				damaged = damaged[:len(whole)/2]
			}
			noError(t, s.Replace(ctx, o.Key, damaged, ""))
			if v, err := integrity.Check(ctx, s, catalogue.Builtin(), "reading"); err != nil || v.OK {
				t.Errorf("%s is damaged at place %d, and verify finds nothing (%v)", o.Key, i, err)
			}
		}
		noError(t, s.Replace(ctx, o.Key, whole, ""))
	}
}

func TestVerifyFindsDamageAndStrangers(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	ctx := context.Background()
	m := commit(t, s, p, 0, 0, "succeeded")
	if out, err := runCommand(t, "verify", "reading", "--lake", o.Lake); err != nil {
		t.Fatalf("an unfinished campaign is whole: %v\n%s", err, out)
	}
	stranger := p
	stranger.Campaign.Conditions = append([]plan.Condition{}, p.Campaign.Conditions...)
	stranger.Campaign.Conditions[1].Reasks = 7
	strange := commit(t, s, stranger, 1, 0, "succeeded")
	data, err := s.Get(ctx, m.Files[record.Turns].Key)
	noError(t, err)
	data[len(data)/2] ^= 1
	noError(t, s.Replace(ctx, m.Files[record.Turns].Key, data, ""))
	out, err := runCommand(t, "verify", "reading", "--lake", o.Lake, "--json")
	fails(t, err, cli.ExitFailed, "2 things are wrong")
	d := document(t, out)
	if d["ok"] != false || d["planned"] != 22.0 {
		t.Errorf("%v", d)
	}
	contains(t, out, strange.Key(), "the plan has no such collaboration", m.Files[record.Turns].Key)
}
