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
		files := []string{}
		for _, f := range c.Dataset.Files[t.Name] {
			files = append(files, f.Key)
		}
		if len(files) == 0 {
			continue
		}
		set := t.Name + "-files"
		distribution = append(distribution, object{
			"@type": "cr:FileSet", "@id": set, "name": set, "description": "Parquet files of the table " + t.Name + ".",
			"encodingFormat": "application/x-parquet", "includes": files,
		})
		records = append(records, recordSet(t, set))
	}
	about := object{
		"@context": croissantContext(), "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
		"name": c.Campaign, "description": c.aboutText(), "distribution": distribution, "recordSet": records,
		"license": cmp.Or(c.Owner.License, "Not stated: the owner of the campaign decides, and may be bound by the licence of the data that it uses."),
		"citeAs":  cmp.Or(c.Owner.CiteAs, c.citeCampaign()), "version": c.semanticVersion(),
	}
	if c.Ended > 0 {
		about["datePublished"] = c.dayEnded()
	}
	return about
}

// semanticVersion returns the version of the data set in semantic form: the schema's, with the digest of the rows as build.
func (c *card) semanticVersion() string {
	return fmt.Sprintf("%d.0.0+%.12s", c.SchemaVersion, c.Dataset.Digest())
}

// dayEnded returns the day of the last answer.
func (c *card) dayEnded() string { return time.UnixMicro(c.Ended).UTC().Format(time.DateOnly) }

// citeCampaign names the campaign, when it ended and what made it.
func (c *card) citeCampaign() string {
	cite := "Campaign " + c.Campaign
	if c.Ended > 0 {
		cite += " (" + c.dayEnded() + ")"
	}
	return fmt.Sprintf("%s. %s, version %s. Made with roundtable, engine %s.", cite, wording.Count(c.Cells, "collaboration"), c.semanticVersion(), cmp.Or(c.Engine, "unknown"))
}

func (c *card) aboutText() string {
	about := fmt.Sprintf("Campaign %s: %s of agents under %s.", c.Campaign, wording.Count(c.Cells, "collaboration"), wording.Count(len(c.Conditions), "condition"))
	if c.Simulated > 0 {
		about += fmt.Sprintf(" In %d of them scripted agents answered, not language models.", c.Simulated)
	}
	if len(c.Dataset.Superseded) > 0 {
		about += " Of each collaboration only the latest generation counts."
	}
	return about
}

func recordSet(t record.Table, files string) object {
	var fields, key []object
	for _, col := range t.Columns {
		field := object{
			"@type": "cr:Field", "@id": t.Name + "/" + col.Name, "name": col.Name, "description": col.About,
			"dataType": map[string]string{
				"string": "sc:Text", "int32": "sc:Integer", "int64": "sc:Integer", "double": "sc:Float",
				"boolean": "sc:Boolean", "list of double": "sc:Float", "timestamp (µs, UTC)": "sc:DateTime",
			}[col.Type],
			"source": object{"fileSet": object{"@id": files}, "extract": object{"column": col.Name}},
		}
		if col.Type == "list of double" {
			field["repeated"] = true
		}
		fields = append(fields, field)
	}
	for _, k := range t.Key {
		key = append(key, object{"@id": t.Name + "/" + k})
	}
	return object{"@type": "cr:RecordSet", "@id": t.Name, "name": t.Name, "description": t.About, "key": key, "field": fields}
}

// croissantContext returns the JSON-LD context that the specification asks for.
func croissantContext() object {
	c := object{
		"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo",
		"data":     object{"@id": "cr:data", "@type": "@json"},
		"examples": object{"@id": "cr:examples", "@type": "@json"},
		"dataType": object{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, word := range []string{
		"citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes",
		"isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated", "replace",
		"samplingRate", "separator", "source", "subField", "transform",
	} {
		c[word] = "cr:" + word
	}
	return c
}
