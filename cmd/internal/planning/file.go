// Package planning reads a campaign file with everything that it names, and compares it with the campaign of
// that name in the lake. It returns all errors of a file at once and starts nothing.
package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"roundtable/activities/labels"
	"roundtable/activities/programs"
	"roundtable/activities/prompt"
	"roundtable/activities/scoring"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs"
	"roundtable/envs/conformance"
	"roundtable/envs/program"
	"roundtable/envs/wording"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/seats"
)

// Read reads the campaign file at path, with the changes of the flags, and everything that it names. It
// returns the plan (what to run), the manifest (how) and the file itself, or all errors at once. If dial is
// true, endpoints must answer and API keys must be set.
func (f Flags) Read(ctx context.Context, plugins catalogue.Catalogue, path string, s store.Store,
	dial bool) (p campaign.Plan, m campaign.Manifest, file campaignfile.File, err error) {
	data, err := f.readFile(path)
	if err != nil {
		return p, m, file, cli.UsageError(explainUnreadable(path, err))
	}
	source, err := f.Source(path, data)
	if err != nil {
		return p, m, file, cli.UsageError(err)
	}
	if err := cli.LoadEnvFile(f.folderOf(path)); err != nil {
		return p, m, file, err
	}
	from := providers.FileFolder{Folder: f.folderOf(path)}
	prices := providers.NewPriceList(from)
	host := providers.NewHost(providers.NewFile(s, from, !dial), prices, dial)
	host.Catalogue, host.Data = plugins, from.OpenData
	ran, err := newFilePrograms(s, from.Folder)
	if err != nil {
		return p, m, file, err
	}
	host.Programs = ran.ask
	host.Embedder = func(name string) error { _, err := from.Embedder(name); return err }
	host.Extended = f.openExtended(path)
	host.Recorded = func(name string) (plan.Campaign, error) { return campaigns.ReadPlannedCampaign(ctx, s, name) }
	host.Learn = (&fitter{ctx: ctx, store: s, host: &host, prices: prices, fitRule: f.Fit,
		said: map[string]bool{}}).learn
	var forked campaign.Plan
	host.Forked = func(name string) (campaignfile.Forked, error) {
		forked, err = readForked(ctx, s, name)
		ran.folder = forked.Folder // where its programs are
		of := campaignfile.Forked{Campaign: forked.Campaign, Data: forked.Data, PrivateData: forked.PrivateData}
		if err == nil && len(forked.Files) > 0 {
			of.DataFiles, err = setup.Sources{Data: setup.OpenFolder, Lake: s}.OpenData(forked)
		}
		return of, err
	}
	file, err = campaignfile.ParseSource(source, host)
	if errs, ok := errors.AsType[campaignfile.Errors](err); ok {
		return p, m, file, cli.UsageError(errorsIn(path, errs))
	}
	if err != nil {
		return p, m, file, err
	}
	if file.Fork != "" {
		if err := leaveOut(ctx, s, &file); err != nil {
			return p, m, file, cli.UsageError(fmt.Errorf("%s: %w", path, err))
		}
	}
	m = campaign.Manifest{Campaign: file.Campaign.Name, Revision: file.Campaign.Revision(), Limits: file.Limits,
		Prices: prices.All(), Notify: file.Notify, Card: file.Card, Until: file.Until, AxisLabels: file.AxisLabels()}
	if err := checkNotify(file.Notify, from.Folder, dial); err != nil {
		return p, m, file, cli.UsageError(fmt.Errorf("%s: %w", path, err))
	}
	if m.Embedder, err = from.Embedder(file.Embedder); err != nil {
		return p, m, file, err
	}
	if l := file.Labels; l != nil {
		m.Labels = campaign.NewLabelling(*l, labels.Words, prices.Of(l.Model.Name))
	}
	p, err = Recordable(plugins, file, from, ran)
	if err == nil && file.Fork != "" {
		if err = cmp.Or(checkForkedData(forked, p), forkPrompts(forked, &p)); err == nil {
			err = checkReplacements(plugins, s, p)
		}
	}
	if err != nil {
		return p, m, file, cli.UsageError(fmt.Errorf("%s: %w", path, err))
	}
	p.Changed = f.Texts()
	for _, note := range file.Notes {
		fmt.Fprintf(os.Stderr, "note: %s: %s\n", path, note)
	}
	return p, m, file, nil
}

// openExtended returns what opens the files that a campaign file extends, their paths
// relative to the file that names them.
func (f Flags) openExtended(campaign string) func(from, path string) (campaignfile.Extended, error) {
	return func(from, name string) (campaignfile.Extended, error) {
		at := name
		if !filepath.IsAbs(name) {
			at = filepath.Join(filepath.Dir(from), name)
		}
		if !f.isCampaignFile(at) {
			return campaignfile.Extended{},
				fmt.Errorf("%s is not read: campaign files end in .yaml, .yml or .json, also where a link leads to "+
					"one; errors would show parts of another file", at)
		}
		data, err := f.readFile(at)
		if errors.Is(err, fs.ErrNotExist) {
			return campaignfile.Extended{},
				fmt.Errorf("there is no file %s; paths are relative to the file that names them", at)
		} else if err != nil {
			return campaignfile.Extended{}, fmt.Errorf("%s cannot be read: %w", at, errors.Unwrap(err))
		}
		return campaignfile.Extended{Name: at, Data: data, Path: func(path string) string {
			if filepath.IsAbs(path) {
				return path
			}
			moved := filepath.Join(filepath.Dir(at), path)
			if relative, err := filepath.Rel(filepath.Dir(campaign), moved); err == nil {
				return relative
			}
			return moved
		}}, nil
	}
}

// isCampaignFile reports whether a file that another one names can be a campaign file by its
// name, and by that of what a link leads to.
func (f Flags) isCampaignFile(path string) bool {
	is := func(name string) bool { return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) }
	real := path
	if f.Files == nil {
		if led, err := filepath.EvalSymlinks(path); err == nil {
			real = led
		}
	}
	return is(path) && is(real)
}

// explainUnreadable says why a campaign file cannot be read, and which ones are next to it.
func explainUnreadable(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the campaign file %s cannot be read: %w", path, errors.Unwrap(err))
	}
	there, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.y*ml"))
	hint := "; there is no .yaml file in that folder"
	if len(there) > 0 {
		hint = "; in that folder: " + strings.Join(there, ", ")
	}
	return fmt.Errorf("there is no campaign file %s%s%s", path, hint, wording.DidYouMean(path, there))
}

func errorsIn(path string, errs campaignfile.Errors) error {
	lines := make([]string, len(errs))
	for i, f := range errs {
		if lines[i] = f.String(); f.File == "" {
			lines[i] = fmt.Sprintf("%s: %s", path, f)
		}
	}
	noun := "errors"
	if len(lines) == 1 {
		noun = "error"
	}
	return fmt.Errorf("%d %s in the campaign file, nothing was started\n%s", len(lines), noun,
		strings.Join(lines, "\n"))
}

// Recordable returns the plan of a file as the lake keeps it, with every prompt that it uses. from is the
// file's folder.
func Recordable(plugins catalogue.Catalogue, file campaignfile.File, from providers.FileFolder,
	ran *filePrograms) (campaign.Plan, error) {
	p := campaign.Plan{Campaign: file.Campaign, Edition: prompt.Edition, Agents: file.Agents, Rounds: file.Rounds,
		Packs: map[string]map[string]string{}}
	var data fs.FS
	var err error
	if p.Folder, err = filepath.Abs(from.Folder); err != nil {
		return p, err
	}
	if file.Data != "" {
		if p.Data, err = from.Path(file.Data); err != nil {
			return p, err
		}
	}
	if file.DataFiles != nil {
		files := campaign.NewDataFiles(file.DataFiles)
		data, p.Files, p.PrivateData = files, files.Sums, file.PrivateData
	}
	var override fs.FS
	if file.Prompts != "" {
		if override, err = from.OpenData(file.Prompts); err != nil {
			return p, err
		}
	}
	environments := map[string]fs.FS{}
	for _, c := range file.Campaign.Conditions {
		key := c.Env.Name + string(c.Env.Params)
		if environments[key] == nil {
			needs := catalogue.Needs{Data: data}
			if ran != nil {
				needs.Programs = ran.ask(file.Campaign.Name, c)
			}
			env, err := c.BuildEnv(plugins, needs)
			if err != nil {
				return p, err
			}
			folder := p.Folder
			if ran != nil { // a fork's are where those of its original are
				folder = ran.folder
			}
			if err := cmp.Or(checkScorer(env, folder), ran.check(plugins, p.Campaign.Name, c, env)); err != nil {
				return p, err
			}
			environments[key] = env.Prompts()
		}
		pack, err := packOf(plugins, c, environments[key], override)
		if err != nil {
			return p, err
		}
		p.Packs[campaign.HashPack(pack)] = pack
		p.Pack = append(p.Pack, campaign.HashPack(pack))
	}
	return p, checkPrompts(plugins, p, override)
}

// checkPrompts refuses templates that replace none of the campaign's, nor of
// another protocol's: a folder may serve several campaigns.
func checkPrompts(plugins catalogue.Catalogue, p campaign.Plan, override fs.FS) error {
	if override == nil {
		return nil
	}
	known := map[string]bool{}
	for _, pack := range p.Packs {
		for name := range pack {
			known[name] = true
		}
	}
	for _, other := range plugins.Protocols {
		names, err := fs.Glob(other.Prompts, "*.tmpl")
		if err != nil {
			return err
		}
		for _, name := range names {
			known["protocol/"+name] = true
		}
	}
	var lines []string
	for _, err := range prompt.CheckOverride(override, known) {
		lines = append(lines, "prompts: "+err.Error())
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("%s\nexpected one of %s", strings.Join(lines, "\n"),
		strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}

func packOf(plugins catalogue.Catalogue, c plan.Condition, env, override fs.FS) (prompt.Pack, error) {
	rule, err := c.BuildRule(plugins)
	if err != nil {
		return nil, err
	}
	proto, err := catalogue.Find("protocol", plugins.Protocols, c.Protocol.Name)
	if err != nil {
		return nil, err
	}
	var agents fs.FS
	if c.Agents != nil {
		agents = seats.Prompts
	}
	pack, err := prompt.NewPack(env, proto.Prompts, agents, override, rule.Words())
	if err != nil {
		return nil, err
	}
	if c.Asks() != protocol.ReasoningPaper {
		for _, shared := range protocol.QuestionPrompts(proto.Name) {
			if err := pack.Add("protocol", shared, override); err != nil {
				return nil, err
			}
		}
	}
	if _, judged := c.Judge(); judged {
		if err := pack.Add("score", scoring.Prompts(), override); err != nil {
			return nil, err
		}
	}
	_, err = pack.Parse()
	return pack, err
}

// samePrompts refuses a plan whose prompts are not those that the campaign began with.
func samePrompts(stored, p campaign.Plan) error {
	for i, c := range p.Campaign.Conditions {
		j := slices.IndexFunc(stored.Campaign.Conditions, func(r plan.Condition) bool { return r.ID() == c.ID() })
		switch {
		case j < 0 || stored.Pack[j] == p.Pack[i]:
		case stored.Edition != p.Edition:
			return cli.UsageError(fmt.Errorf("campaign %q began with edition %d of the built-in prompts, and this "+
				"version has edition %d; `roundtable resume %s` continues with the recorded ones, a new campaign "+
				"needs another name",
				p.Campaign.Name, stored.Edition, p.Edition, p.Campaign.Name))
		default:
			return cli.UsageError(fmt.Errorf("the prompts of %s are not those that campaign %q began with; choose "+
				"another name or restore the folder", c.ID(), p.Campaign.Name))
		}
	}
	return nil
}

// recordedPack returns the pack of a fork's condition with the templates that recorded
// conditions of the same environment or protocol have.
func recordedPack(stored campaign.Plan, c plan.Condition, pack prompt.Pack) prompt.Pack {
	taken := map[string]bool{}
	pack = maps.Clone(pack)
	for j, r := range stored.Campaign.Conditions {
		_, judged := c.Judge()
		_, earlier := r.Judge()
		for folder, same := range map[string]bool{"env": r.Env.Name == c.Env.Name,
			"protocol": r.Protocol.Name == c.Protocol.Name, "score": judged && earlier} {
			if same && !taken[folder] {
				taken[folder] = true
				pack.Take(stored.Packs[stored.Pack[j]], folder)
			}
		}
	}
	return pack
}

// RecordPlan records p as the campaign's current plan, with its data, and m, which says how to run it.
func RecordPlan(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) error {
	if note, err := campaign.RecordData(ctx, s, p, setup.OpenFolder); err != nil {
		return err
	} else if note != "" {
		fmt.Fprintln(os.Stderr, "note:", note)
	}
	if err := campaign.WritePlan(ctx, s, p); err != nil {
		return err
	}
	return campaign.WriteManifest(ctx, s, m)
}

// checkNotify returns an error if word of a campaign could not be sent from here: its
// command is not trusted, or the address is not set or not trusted. A file that is only
// looked at (dial is false) needs neither.
func checkNotify(n *plan.Notify, folder string, dial bool) error {
	if n == nil || !dial {
		return nil
	}
	var found error
	if len(n.Command) > 0 {
		if err := programs.CheckTrusted(folder, n.Command); err != nil {
			found = fmt.Errorf("notify.command: %w", err)
		}
	}
	if n.Webhook != "" || n.WebhookEnv != "" {
		_, err := programs.WebhookAddress(*n)
		found = errors.Join(found, err)
	}
	return found
}

// filePrograms asks the programs of a campaign file: what its campaign has recorded
// stands, and for the rest two processes have to agree. Nothing is recorded.
type filePrograms struct {
	ran    *programs.Programs
	folder string
}

func newFilePrograms(s store.Store, folder string) (*filePrograms, error) {
	folder, err := filepath.Abs(folder)
	return &filePrograms{programs.New(s), folder}, err
}

func (p *filePrograms) programsOf(campaign string, c plan.Condition) programs.Of {
	return programs.Of{Campaign: campaign, Folder: p.folder, Replayed: c.Replayed()}
}

// ask returns what asks the program of a condition's environment.
func (p *filePrograms) ask(campaign string, c plan.Condition) program.Asker {
	return p.ran.Checking(p.programsOf(campaign, c))
}

// check returns what a short look finds wrong with an environment that is a program:
// nothing of the campaign is paid for yet. One whose answers are recorded was looked at
// before, and may be gone.
func (p *filePrograms) check(plugins catalogue.Catalogue, campaign string, c plan.Condition,
	env envs.Environment) error {
	if _, ok := env.(*program.Environment); !ok || p == nil {
		return nil
	}
	if _, err := c.BuildEnv(plugins, catalogue.Needs{Programs: p.ran.Recorded(p.programsOf(campaign, c))}); err == nil {
		return nil
	}
	if err := conformance.Sample(env); err != nil {
		return fmt.Errorf("env: %w\n(roundtable check-env finds everything that is wrong with a program)", err)
	}
	return nil
}

// checkScorer returns an error if the program that scores an environment's decisions
// is not there or not trusted: they would be paid for before that is noticed.
func checkScorer(env envs.Environment, folder string) error {
	scoring, ok := env.(envs.Scoring)
	if !ok || len(scoring.Scorer()) == 0 {
		return nil
	}
	program := scoring.Scorer()[0]
	if filepath.Base(program) != program && !filepath.IsAbs(program) {
		program = filepath.Join(folder, program)
	}
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("env.score: the program %s cannot be started (%w); it is looked for in PATH, or with a "+
			"slash from the folder of the campaign file", scoring.Scorer()[0], errors.Unwrap(err))
	}
	if err := programs.CheckTrusted(folder, scoring.Scorer()); err != nil {
		return fmt.Errorf("env.score: %w", err)
	}
	return nil
}
