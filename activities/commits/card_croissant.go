package commits

import (
	"cmp"
	"fmt"
	"time"

	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
)

// object is JSON-LD; its keys are written in the order of the alphabet.
type object map[string]any

// describeCroissant describes the tables in the vocabulary of Croissant 1.0
// (docs.mlcommons.org/croissant/docs/croissant-spec.html): a set of files and a
// set of records each. Paths are those of the lake.
func (c *card) describeCroissant() object {
	var distribution, records []object
	for _, t := range c.Tables {
		if files := c.filesOf(t.Name); files != nil {
			distribution = append(distribution, files)
			records = append(records, recordSet(t, files))
		}
	}
	about := object{
		"@context": croissantContext(), "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
		"name": c.Campaign, "description": c.aboutText(), "distribution": distribution, "recordSet": records,
		"license": c.License(), "citeAs": c.Citation(), "version": c.Version(),
	}
	if date := cmp.Or(c.Owner.Date, c.dayEnded()); date != "" {
		about["datePublished"] = date
	}
	return about
}

// filesOf returns the files of a table: those of the lake, or the exported one; nil if there are none.
func (c *card) filesOf(table string) object {
	for _, f := range c.Exported {
		if f.Table == table {
			return object{
				"@type": "cr:FileObject", "@id": f.Name, "name": f.Name, "description": "The table " + table + ".",
				"contentUrl":  f.Name,
				"contentSize": fmt.Sprintf("%d B", f.Bytes), "encodingFormat": "application/x-parquet",
				"sha256": f.SHA256,
			}
		}
	}
	if c.Exported != nil || len(c.Dataset.Files[table]) == 0 {
		return nil
	}
	keys := []string{}
	for _, f := range c.Dataset.Files[table] {
		keys = append(keys, f.Key)
	}
	set := table + "-files"
	return object{
		"@type": "cr:FileSet", "@id": set, "name": set, "description": "Parquet files of the table " + table + ".",
		"encodingFormat": "application/x-parquet", "includes": keys,
	}
}

// License returns the address of the owner's licence, or says that there is none.
func (c *card) License() string {
	return cmp.Or(c.Owner.LicenseAddress(),
		"Not stated: the owner of the campaign decides, and may be bound by the licence of the data that it uses.")
}

// Version returns the owner's version of the data set, or the schema's with the digest of the rows as build.
func (c *card) Version() string {
	return cmp.Or(c.Owner.Version, fmt.Sprintf("%d.0.0+%.12s", c.SchemaVersion, c.Dataset.Digest()))
}

// dayEnded returns the day of the last answer; "" if nothing was asked.
func (c *card) dayEnded() string {
	if c.Ended == 0 {
		return ""
	}
	return time.UnixMicro(c.Ended).UTC().Format(time.DateOnly)
}

// Citation returns the owner's citation, or names the campaign, when it ended and what made it.
func (c *card) Citation() string {
	if c.Owner.Citation != "" {
		return c.Owner.Citation
	}
	cite := "Campaign " + c.Campaign
	if c.Ended > 0 {
		cite += " (" + c.dayEnded() + ")"
	}
	made := "Made with roundtable, engine " + cmp.Or(c.Engine, "unknown")
	if c.Engine == record.Imported {
		made = "Imported into roundtable"
	}
	return fmt.Sprintf("%s. %s, version %s. %s.", cite, wording.Count(c.Cells, "collaboration"), c.Version(), made)
}

func (c *card) aboutText() string {
	about := fmt.Sprintf("Campaign %s: %s of agents under %s.", c.Campaign, wording.Count(c.Cells, "collaboration"),
		wording.Count(len(c.Conditions), "condition"))
	if c.Simulated > 0 {
		about += fmt.Sprintf(" In %d of them scripted agents answered, not language models.", c.Simulated)
	}
	if len(c.Dataset.Superseded) > 0 && c.Exported == nil {
		about += " Of each collaboration only the latest generation counts."
	}
	return about
}

func recordSet(t record.Table, files object) object {
	var fields, key []object
	source := map[any]string{"cr:FileObject": "fileObject", "cr:FileSet": "fileSet"}[files["@type"]]
	for _, col := range t.Columns {
		field := object{
			"@type": "cr:Field", "@id": t.Name + "/" + col.Name, "name": col.Name, "description": col.About,
			"dataType": map[string]string{
				"string": "sc:Text", "int32": "sc:Integer", "int64": "sc:Integer", "double": "sc:Float",
				"boolean": "sc:Boolean", "list of double": "sc:Float", "timestamp (µs, UTC)": "sc:DateTime",
			}[col.Type],
			"source": object{source: object{"@id": files["@id"]}, "extract": object{"column": col.Name}},
		}
		if col.Type == "list of double" {
			field["repeated"] = true
		}
		fields = append(fields, field)
	}
	for _, k := range t.Key {
		key = append(key, object{"@id": t.Name + "/" + k})
	}
	return object{"@type": "cr:RecordSet", "@id": t.Name, "name": t.Name, "description": t.About, "key": key,
		"field": fields}
}

// croissantContext returns the JSON-LD context that the specification asks for.
func croissantContext() object {
	c := object{
		"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
		"cr":  "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/",
		"conformsTo": "dct:conformsTo",
		"data":       object{"@id": "cr:data", "@type": "@json"},
		"examples":   object{"@id": "cr:examples", "@type": "@json"},
		"dataType":   object{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, word := range []string{
		"citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet",
		"format", "includes",
		"isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
		"repeated", "replace",
		"samplingRate", "separator", "source", "subField", "transform",
	} {
		c[word] = "cr:" + word
	}
	return c
}
