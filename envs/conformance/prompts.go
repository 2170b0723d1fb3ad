package conformance

import (
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"roundtable/envs"
)

// renderPrompt executes one prompt template for one agent.
func renderPrompt(env envs.Environment, name string, observation any) (string, error) {
	tmpl, err := template.New(name).Option("missingkey=error").ParseFS(env.Prompts(), name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = tmpl.Execute(&b, observation)
	return b.String(), err
}

func checkPrompts(r Reporter, env envs.Environment, opt Options) {
	for i := range opt.Instances {
		in := DealInstance(r, env, i)
		for _, name := range []string{"task.tmpl", "background.tmpl", "proposal.tmpl"} {
			var first string
			for agent := range in.Agents() {
				text, err := renderPrompt(env, name, in.Observe(agent))
				// an agent may have nothing of its own
				if private := name == "background.tmpl"; err == nil && !(private && strings.TrimSpace(text) == "") {
					err = checkReadable(text)
				}
				if err != nil {
					r.Fatalf("%s for agent %d: %v", name, agent, err)
				}
				if agent == 0 {
					first = text
				}
				if name != "background.tmpl" && text != first {
					r.Errorf("%s tells agents 0 and %d different things; what is private belongs in background.tmpl", name, agent)
				}
			}
		}
	}
}

func checkReadable(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("renders to nothing")
	case !utf8.ValidString(text):
		return fmt.Errorf("is not UTF-8")
	case strings.Contains(text, "<no value>"), strings.Contains(text, "<nil>"), strings.Contains(text, "%!"):
		return fmt.Errorf("has a hole: %q", text)
	}
	return nil
}
