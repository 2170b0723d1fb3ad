package planning

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
)

// RenderedPrompt is a prompt with the ids of the conditions that use it.
type RenderedPrompt struct {
	Conditions []string `json:"conditions"`
	collaboration.Prompt
}

// RenderPrompts returns every distinct prompt of a plan once, in the order in which phases and roles occur.
func RenderPrompts(plugins catalogue.Catalogue, p campaign.Plan, s store.Store) ([]RenderedPrompt, error) {
	var all []RenderedPrompt
	at := map[[sha256.Size]byte]int{} // by the hash of what is distinct: texts may be long
	var kinds []string
	sources := providers.Sources(s, p)
	for i, c := range p.Campaign.Conditions {
		prompts, err := collaboration.Prompts(p, i, plugins, sources, providers.New(s).Build)
		if err != nil {
			return nil, err
		}
		for _, prompt := range prompts {
			text, err := json.Marshal([]any{prompt.Role, prompt.Phase, prompt.Messages})
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256(text)
			n, known := at[sum]
			if !known {
				n = len(all)
				at[sum] = n
				all = append(all, RenderedPrompt{Prompt: prompt})
			}
			if id := c.ID(); !slices.Contains(all[n].Conditions, id) {
				all[n].Conditions = append(all[n].Conditions, id)
			}
			if kind := prompt.Phase + "/" + prompt.Role; !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b RenderedPrompt) int {
		return slices.Index(kinds, a.Phase+"/"+a.Role) - slices.Index(kinds, b.Phase+"/"+b.Role)
	})
	return all, nil
}

// Title returns who is asked, for what and when.
func (r RenderedPrompt) Title() string {
	if r.Role == r.Speaker {
		return fmt.Sprintf("%s, %s, round %d", r.Phase, r.Role, r.Round)
	}
	return fmt.Sprintf("%s, %s (%s), round %d", r.Phase, r.Role, r.Speaker, r.Round)
}

// Text returns the prompt's messages, each under its role.
func (r RenderedPrompt) Text() string {
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "--- %s\n%s\n", m.Role, m.Content)
	}
	return wording.SafeLines(b.String())
}

// PrintPrompts writes each prompt under its title and conditions.
func PrintPrompts(w io.Writer, prompts []RenderedPrompt) {
	for _, r := range prompts {
		fmt.Fprintf(w, "\n=== %s: %s ===\n%s", wording.SafeLines(r.Title()), strings.Join(r.Conditions, ", "), r.Text())
	}
}

// PromptIndex is the name of the file in which WritePrompts lists the others.
const PromptIndex = "index.md"

// WritePrompts writes each prompt to a file of its own in a new or empty folder, and their list to
// PromptIndex.
func WritePrompts(folder string, file campaignfile.File, prompts []RenderedPrompt) error {
	if there, err := os.ReadDir(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.UsageError(err)
	} else if len(there) > 0 {
		return cli.UsageError(fmt.Errorf("%s is not empty; name a new folder for the prompts", folder))
	}
	staged, err := cli.StageFolder(folder)
	if err != nil {
		return cli.UsageError(err)
	}
	return staged.Finish(writePrompts(staged.At, file, prompts))
}

func writePrompts(folder string, file campaignfile.File, prompts []RenderedPrompt) error {
	var index strings.Builder
	fmt.Fprintf(&index, "# Prompts of %s\n\nEach distinct text once: of every phase and role the first and the "+
		"last prompt of a collaboration that scripted agents play, on the first instance. "+
		"Of groups of more than four agents, the first two and the last. A re-ask adds what was wrong and the form "+
		"filled in.\n\n| file | phase | role | asked | round | conditions |\n| --- | --- | --- | --- | --- | "+
		"--- |\n", file.Campaign.Name)
	for i, r := range prompts {
		name := fmt.Sprintf("%03d-%s-%s-round-%d.txt", i+1, fileWord(r.Phase), fileWord(r.Speaker), r.Round)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(r.Text()), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&index, "| [%s](%s) | %s | %s | %s | %d | %s |\n", name, name, r.Phase, r.Role,
			strings.ReplaceAll(wording.SafeLines(r.Speaker), "|", "\\|"), r.Round, strings.Join(r.Conditions, ", "))
	}
	fmt.Fprintf(&index, "\n| condition | %s |\n| --- |%s\n", "values on the axes of the grid", " --- |")
	for i, values := range file.Values {
		var words []string
		for _, v := range values {
			words = append(words, fmt.Sprintf("%s: %s", v.Axis, wording.Shorten(v.String())))
		}
		fmt.Fprintf(&index, "| %s | %s |\n", file.Campaign.Conditions[i].ID(),
			strings.ReplaceAll(wording.SafeLines(strings.Join(words, "; ")), "|", "\\|"))
	}
	return os.WriteFile(filepath.Join(folder, PromptIndex), []byte(index.String()), 0o644)
}

// fileWord returns a text as a part of a file's name.
func fileWord(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(text)), "-")
}

// chosenPrompts says which prompts a plan asks with.
type chosenPrompts struct {
	Edition int    // of the built-in ones
	Stored  bool   // the campaign has begun and continues with these
	folder  string // that replaces some of them; "" if none
}

// String returns the prompts in a sentence.
func (c chosenPrompts) String() string {
	text := fmt.Sprintf("Prompts: edition %d of the built-in ones", c.Edition)
	if c.folder != "" {
		text += ", with templates of " + c.folder
	}
	if c.Stored {
		text += ", as recorded when the campaign began"
	}
	return text + "."
}
