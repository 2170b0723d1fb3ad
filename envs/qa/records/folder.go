package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// shard is one file of a folder; path is empty where a pattern names no file that is there.
type shard struct{ config, split, path, pattern string }

// Folder returns the files of one split of a data set's folder, in order, by the rules of the
// Hugging Face hub: the head of its README.md says which configs and splits it has, or the names
// of its folders and files say it. config and split may be "" where there is only one.
func Folder(files fs.FS, folder, config, split string) ([]string, error) {
	folder = path.Clean(folder)
	all, err := listFiles(files, folder)
	if err != nil {
		return nil, err
	}
	shards, err := declaredFiles(files, folder, all)
	if err == nil && len(shards) == 0 {
		shards = findFiles(all, "")
	}
	switch {
	case err != nil:
		return nil, err
	case len(shards) == 0 && slices.ContainsFunc(all, func(name string) bool { return path.Ext(name) == ".arrow" }):
		return nil, fmt.Errorf("the folder %s holds .arrow files; write the data set as Parquet (to_parquet)", folder)
	case len(shards) == 0:
		return nil, fmt.Errorf("the folder %s holds no file that ends in %s", folder, wording.Or(Extensions()))
	}
	if config, err = choose("config", config, shards, func(s shard) string { return s.config }); err != nil {
		return nil, err
	}
	shards = slices.DeleteFunc(shards, func(s shard) bool { return s.config != config })
	ofStem := slices.DeleteFunc(slices.Clone(shards),
		func(s shard) bool { return split == "" || s.split == split || Stem(s.path) != split })
	if split, err = choose("split", split, shards, func(s shard) string { return s.split },
		stemsOf(ofStem)...); err != nil {
		return nil, err
	}
	if len(ofStem) == 0 || ofStem[0].split == split {
		ofStem = slices.DeleteFunc(shards, func(s shard) bool { return s.split != split })
	}
	var names []string
	for _, s := range ofStem {
		if s.path == "" {
			return nil, fmt.Errorf("config %s, split %s: no file %s is there that ends in %s", config, split,
				path.Join(folder, s.pattern), wording.Or(Extensions()))
		}
		names = append(names, s.path)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if err := checkTogether(names); err != nil {
		return nil, fmt.Errorf("config %s, split %s: %w", config, split, err)
	}
	for i := range names {
		names[i] = path.Join(folder, names[i])
	}
	return names, nil
}

// notData are files of the hub that end like data.
var notData = []string{"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json", "config.json"}

// listFiles returns all files within a folder by their paths in it; what is hidden, and
// what begins with two underscores, is left out.
func listFiles(files fs.FS, folder string) ([]string, error) {
	var all []string
	err := fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == folder:
			return nil
		case err != nil:
			return err
		case name != folder && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "__")):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && !slices.Contains(notData, base):
			all = append(all, strings.TrimPrefix(strings.TrimPrefix(name, folder), "/"))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the folder %s: %w", folder, err)
	}
	return all, nil
}

// choose returns the wanted name, or the only one; a config may also be called default.
func choose(what, wanted string, shards []shard, of func(shard) string, also ...string) (string, error) {
	var names []string
	for _, s := range shards {
		names = append(names, of(s))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case slices.Contains(names, wanted), slices.Contains(also, wanted):
		return wanted, nil
	case wanted != "":
		return "", fmt.Errorf("%s is %q; the folder has %s%s", what, wanted, strings.Join(names, ", "),
			wording.DidYouMean(wanted, names))
	case len(names) == 1:
		return names[0], nil
	case what == "config" && slices.Contains(names, "default"):
		return "default", nil
	}
	return "", fmt.Errorf("%s is missing; the folder has %s", what, strings.Join(names, ", "))
}

// checkTogether refuses files of one split that are not all there, or of which some are the
// same in another form.
func checkTogether(names []string) error {
	var forms []Form
	parts := map[string][]string{}
	for _, name := range names {
		if form := FormOf(name); !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
		if m := sharded.FindStringSubmatch(Stem(name)); m != nil {
			key := path.Join(path.Dir(name), m[1]) + "-of-" + m[3]
			parts[key] = append(parts[key], m[2])
			if n, _ := strconv.Atoi(m[3]); len(parts[key]) == n {
				delete(parts, key)
			}
		}
	}
	if len(forms) > 1 {
		return fmt.Errorf("there are files of the forms %s, perhaps the same rows twice; keep those of one",
			wording.And(forms))
	}
	for _, name := range names {
		if m := sharded.FindStringSubmatch(Stem(name)); m != nil {
			if have := parts[path.Join(path.Dir(name), m[1])+"-of-"+m[3]]; len(have) > 0 {
				return fmt.Errorf("%d of %s parts are there (%s); download the others", len(have),
					strings.TrimLeft(m[3], "0"), strings.Join(have, ", "))
			}
		}
	}
	return nil
}

// head is what is read of the YAML between the first two lines "---" of a README.md.
type head struct {
	Configs []struct {
		Name  string `yaml:"config_name"`
		Files any    `yaml:"data_files"`
		Dir   string `yaml:"data_dir"`
	} `yaml:"configs"`
}

// declaredFiles returns the files that the README.md declares; none if it declares none.
func declaredFiles(files fs.FS, folder string, names []string) ([]shard, error) {
	readme := path.Join(folder, "README.md")
	f, err := files.Open(readme)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20)) // the head comes first
	if err != nil {
		return nil, err
	}
	h, err := parseHead(data)
	if err != nil {
		return nil, fmt.Errorf("%s: its head is not YAML that can be read: %w", readme, err)
	}
	var all []shard
	for _, c := range h.Configs {
		if c.Name == "" {
			c.Name = "default"
		}
		patterns, err := patternsOf(c.Files)
		if err != nil {
			return nil, fmt.Errorf("%s: config %s: %w", readme, c.Name, err)
		}
		if dir := path.Clean(c.Dir); len(patterns) == 0 && c.Dir != "" {
			all = append(all, findFiles(filesWithin(names, dir), c.Name)...)
		}
		for _, p := range patterns {
			pattern := path.Join(c.Dir, p.path)
			if pattern == ".." || strings.HasPrefix(pattern, "../") || path.IsAbs(pattern) {
				return nil, fmt.Errorf("%s: config %s: the path %q leaves the folder", readme, c.Name, pattern)
			}
			matches, err := Match(names, pattern)
			if err != nil {
				return nil, fmt.Errorf("%s: config %s: the path %q: %w", readme, c.Name, pattern, err)
			}
			matches = slices.DeleteFunc(matches, func(name string) bool { return FormOf(name) == "" })
			if len(matches) == 0 { // other splits can be there
				all = append(all, shard{c.Name, p.split, "", pattern})
			}
			for _, name := range matches {
				all = append(all, shard{c.Name, p.split, name, pattern})
			}
		}
	}
	return all, nil
}

func filesWithin(names []string, dir string) []string {
	return slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return dir != "." && !strings.HasPrefix(name, dir+"/") })
}

func parseHead(data []byte) (h head, err error) {
	rest, ok := bytes.CutPrefix(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("---\n"))
	if !ok {
		return h, nil
	}
	block, _, ok := bytes.Cut(rest, []byte("\n---"))
	if !ok {
		return h, nil
	}
	return h, yaml.Unmarshal(append([]byte("\n"), block...), &h) // lines as in the file
}

// patternsOf reads data_files: a path, a list of paths or of {split, path}, or a mapping of
// splits to paths.
func patternsOf(files any) (all []shard, err error) {
	add := func(split string, paths any) {
		list, isList := paths.([]any)
		if !isList {
			list = []any{paths}
		}
		for _, p := range list {
			all = append(all, shard{split: split, path: fmt.Sprint(p)})
		}
	}
	switch files := files.(type) {
	case nil:
	case []any:
		for _, item := range files {
			one, isMap := item.(map[string]any)
			switch {
			case !isMap:
				add("train", item)
			case one["split"] == nil || one["path"] == nil:
				return nil, errors.New("an entry of data_files is neither a path nor {split, path}")
			default: // a split can be a year
				add(fmt.Sprint(one["split"]), one["path"])
			}
		}
	case map[string]any:
		for _, split := range slices.Sorted(maps.Keys(files)) {
			add(split, files[split])
		}
	case map[any]any: // of numbers among others
		byName := map[string]any{}
		//workflowcheck:ignore a map is made of a map
		for split, paths := range files {
			byName[fmt.Sprint(split)] = paths
		}
		return patternsOf(byName)
	default:
		add("train", files)
	}
	return all, nil
}

// Match returns the names that match pattern; ** matches any number of folders and, at the end,
// also the files in them.
func Match(names []string, pattern string) ([]string, error) {
	steps := strings.Split(strings.ReplaceAll(pattern, "[!", "[^"), "/")
	for _, step := range steps {
		if _, err := path.Match(step, ""); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(names),
		func(name string) bool { return !isMatch(steps, strings.Split(name, "/")) }), nil
}

func isMatch(steps, parts []string) bool {
	switch {
	case len(steps) == 0:
		return len(parts) == 0
	case steps[0] == "**" && len(steps) == 1:
		return len(parts) > 0
	case steps[0] == "**":
		return isMatch(steps[1:], parts) || len(parts) > 0 && isMatch(steps, parts[1:])
	case len(parts) == 0:
		return false
	}
	ok, err := path.Match(steps[0], parts[0])
	return ok && err == nil && isMatch(steps[1:], parts[1:])
}

var (
	sharded  = regexp.MustCompile(`^(.+?)-(\d{5})-of-(\d{5})`)
	numbered = regexp.MustCompile(`^\d+$`)
	keyword  = regexp.MustCompile(`(?i)(?:^|[-_. 0-9])(train|training|test|testing|eval|evaluation|validation|valid|val|dev)(?:$|[-_. 0-9])`)
	splits   = map[string]string{"training": "train", "testing": "test", "eval": "test", "evaluation": "test",
		"valid": "validation", "val": "validation", "dev": "validation"}
)

// Stem returns a file's name without folder and extension (.gz included).
func Stem(name string) string {
	base := strings.TrimSuffix(path.Base(name), ".gz")
	return strings.TrimSuffix(base, path.Ext(base))
}

// stemsOf returns the names by which files can be chosen that share a split.
func stemsOf(shards []shard) (all []string) {
	for _, s := range shards {
		all = append(all, Stem(s.path))
	}
	return all
}

// splitNamed returns the split that a word in a name says; "" if there is none.
func splitNamed(name string) string {
	m := keyword.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	word := strings.ToLower(m[1])
	if other := splits[word]; other != "" {
		return other
	}
	return word
}

// findFiles returns the files of a folder that declares none. A split is said by a file's name
// before its number of parts (test_r1-00000-of-00002), by the folder of files that are only
// numbered (as in refs/convert/parquet), by a word in the name of a folder, or of the file;
// where none says it, all files are train. Other folders are configs, unless one is given.
func findFiles(names []string, config string) []shard {
	var all []shard
	certain := map[string]int{} // by config: whether some file says its split
	var sure []int
	for _, name := range names {
		if FormOf(name) == "" {
			continue
		}
		s, how := shard{config: config, split: "train", path: name}, 0
		var folders []string
		if dir := path.Dir(name); dir != "." {
			folders = strings.Split(dir, "/")
		}
		if m := sharded.FindStringSubmatch(Stem(name)); m != nil {
			s.split, how = m[1], 3
		} else if n := len(folders); numbered.MatchString(Stem(name)) && n > 0 {
			s.split, how, folders = folders[n-1], 3, folders[:n-1]
		}
		var others []string
		for _, folder := range folders {
			if split := splitNamed(folder); split != "" && how == 0 {
				s.split, how = split, 2
			} else if folder != "data" {
				others = append(others, folder)
			}
		}
		if split := splitNamed(Stem(name)); split != "" && how == 0 {
			s.split, how = split, 1
		}
		if s.config == "" {
			if s.config = strings.Join(others, "/"); s.config == "" {
				s.config = "default"
			}
		}
		all, sure = append(all, s), append(sure, how)
		certain[s.config] = max(certain[s.config], how)
	}
	var kept []shard
	for i, s := range all { // where others say a split, a file that says none is of none
		if sure[i] > 0 || certain[s.config] == 0 {
			kept = append(kept, s)
		}
	}
	return kept
}
