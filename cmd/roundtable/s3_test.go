package main

import (
	"testing"

	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/screentest"
)

// A lake on a real S3 server: killed and run again, the campaign leaves the
// same rows as on a local disk, and what reads a lake reads that one.
func TestLakeOnS3(t *testing.T) {
	lake := storetest.At(storetest.S3Server(t), "experiments/one")
	service := newVendor(t)
	quiet, dir := t.TempDir(), t.TempDir()
	campaignFile(t, quiet, service.URL, 4)
	output(t, quiet, "run", "campaign.yaml")

	campaignFile(t, dir, service.URL, 4)
	from := len(service.arrivals())
	b := starts(t, dir, nil, "run", "campaign.yaml", "--lake", lake)
	screentest.Until(t, "forty calls", func() bool { return len(service.arrivals()[from:]) >= 40 })
	if !b.cut(t) {
		t.Error("it ended before it could be killed")
	}
	output(t, dir, "run", "campaign.yaml", "--lake", lake)

	if here, there := digestBy(t, quiet, "killed"), digestBy(t, dir, "killed", "--lake", lake); here != there {
		t.Errorf("digest on the disk %s, on S3 %s", here, there)
	}
	if a, b := output(t, quiet, "analyze", "killed", "--table", "utility-by-rule", "--format", "csv"),
		output(t, dir, "analyze", "killed", "--table", "utility-by-rule", "--format", "csv", "--lake", lake); a != b {
		t.Errorf("Table 1 on the disk\n%s\non S3\n%s", a, b)
	}
}
