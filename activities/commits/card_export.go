package commits

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// ExportedFile is a table in a Parquet file of its own.
type ExportedFile struct {
	Table, Name, SHA256 string
	Rows, Bytes         int64
}

// DescribeExport returns README.md, with the front matter that the Hugging Face Hub reads, and
// croissant.json of a folder that holds these tables of a campaign.
func DescribeExport(
	ctx context.Context, s store.Store, d lake.Dataset, files []ExportedFile,
) (readme, croissant []byte, err error) {
	c, err := newCard(ctx, s, d)
	if err != nil {
		return nil, nil, err
	}
	instances, err := record.InstanceSchema()
	if err != nil {
		return nil, nil, err
	}
	c.Exported, c.Tables = files, append(c.Tables, instances)
	success, err := lake.ReadSuccess(ctx, s, d.Campaign)
	if err != nil {
		return nil, nil, err
	}
	c.Complete = success.Revision != "" && success.Revision == c.revision
	if readme, err = c.render("dataset"); err != nil {
		return nil, nil, err
	}
	croissant, err = indentJSON(c.describeCroissant())
	return readme, croissant, err
}

// About returns what a row of a table is.
func (c *card) About(table string) string {
	i := slices.IndexFunc(c.Tables, func(t record.Table) bool { return t.Name == table })
	if i < 0 {
		return ""
	}
	return c.Tables[i].About
}

// SeveralMakers reports whether there are tables that several have added rows to.
func (c *card) SeveralMakers() bool {
	return slices.ContainsFunc(c.Tables, func(t record.Table) bool { return slices.Contains(record.Annotations[:], t.Name) })
}

// hubLicenses are the identifiers of SPDX, in small letters, that the Hub knows by the same name.
var hubLicenses = []string{
	"0bsd", "afl-3.0", "agpl-3.0", "apache-2.0", "artistic-2.0", "bsd-2-clause", "bsd-3-clause", "bsl-1.0",
	"cc-by-2.0", "cc-by-3.0",
	"cc-by-4.0", "cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0",
	"cc-by-nc-sa-2.0",
	"cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc0-1.0", "ecl-2.0",
	"epl-2.0", "eupl-1.2",
	"isc", "mit", "mpl-2.0", "postgresql", "unlicense", "zlib",
}

// HubLicense returns the lines of the Hub's front matter; it refuses identifiers that it does not know.
func (c *card) HubLicense() string {
	id := strings.ToLower(c.Owner.License)
	switch {
	case id == "":
		return ""
	case slices.Contains(hubLicenses, id):
		return "license: " + id + "\n"
	}
	return fmt.Sprintf("license: other\nlicense_name: owner\nlicense_link: %q\n", c.Owner.LicenseAddress())
}
