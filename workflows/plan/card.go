package plan

import (
	"net/url"
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"
)

// Card is what only the owner can say of a campaign's data set. It is not part of the campaign's
// identity: it may change at any time.
type Card struct {
	License  string `json:"license,omitempty"`  // SPDX identifier or address
	Citation string `json:"citation,omitempty"` // how to cite it
	Version  string `json:"version,omitempty"`  // MAJOR.MINOR.PATCH
	Date     string `json:"date,omitempty"`     // of publication: YYYY-MM-DD
}

var (
	spdxIdentifier  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)
	semanticVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
)

// LicenseAddress returns the address of the licence: SPDX's page of an identifier; "" if none is stated.
func (c Card) LicenseAddress() string {
	if c.License == "" || !spdxIdentifier.MatchString(c.License) {
		return c.License
	}
	return "https://spdx.org/licenses/" + c.License + ".html"
}

// checkCard reports what of card cannot be.
func (p *parser) checkCard(n *yaml.Node, c *Card) {
	if n == nil || n.Kind != yaml.MappingNode || c == nil {
		return
	}
	check := func(ok bool, key, value, expected string) {
		if at := valueOf(n, key); at != nil && !ok && !p.errs.isKnownAt("card."+key, at.Line) {
			p.errs.add(at, "card."+key, "%q is not %s", value, expected)
		}
	}
	check(IsLicense(c.License), "license", c.License, "an SPDX identifier or an address; expected one as CC-BY-4.0 or https://…")
	check(c.Citation != "", "citation", c.Citation, "a citation; leave it out for one with name, date and digest")
	check(semanticVersion.MatchString(c.Version), "version", c.Version, "a semantic version; expected one as 1.0.0")
	_, err := time.Parse(time.DateOnly, c.Date)
	check(err == nil, "date", c.Date, "a date; expected one as 2026-09-21")
}

// IsLicense reports whether a text is an SPDX identifier or an address.
func IsLicense(text string) bool {
	u, err := url.Parse(text)
	return spdxIdentifier.MatchString(text) || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
