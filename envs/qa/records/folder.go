package records

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// shard is one file of a folder.
type shard struct{ config, split, path string }

// Folder returns the files of one split of a data set's folder, in order. The
// folder says in the head of its README.md which configs and splits it has, or
// the names of its files say it. What there is one of need not be named.
func Folder(files fs.FS, folder, config, split string) ([]string, error) {
	folder = path.Clean(folder)
	shards, err := declared(files, folder)
	if err == nil && len(shards) == 0 {
		shards, err = found(files, folder)
	}
	if err != nil {
		return nil, err
	}
	if len(shards) == 0 {
		return nil, fmt.Errorf("the folder %s holds no file that ends in %s, neither directly nor one folder below", folder, wording.Or(Extensions()))
	}
	if config, err = choose("config", config, shards, func(s shard) string { return s.config }); err != nil {
		return nil, err
	}
	shards = slices.DeleteFunc(shards, func(s shard) bool { return s.config != config })
	if split, err = choose("split", split, shards, func(s shard) string { return s.split }); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range shards {
		if s.split == split {
			names = append(names, s.path)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// choose returns the wanted name, or the only one; a config may also be called default.
func choose(what, wanted string, shards []shard, of func(shard) string) (string, error) {
	var names []string
	for _, s := range shards {
		names = append(names, of(s))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case slices.Contains(names, wanted):
		return wanted, nil
	case wanted != "":
		return "", fmt.Errorf("%s is %q; the folder has %s%s", what, wanted, strings.Join(names, ", "), wording.DidYouMean(wanted, names))
	case len(names) == 1:
		return names[0], nil
	case what == "config" && slices.Contains(names, "default"):
		return "default", nil
	}
	return "", fmt.Errorf("%s is missing; the folder has %s", what, strings.Join(names, ", "))
}

// head is what is read of the YAML between the first two lines "---" of a README.md.
type head struct {
	Configs []struct {
		Name  string    `yaml:"config_name"`
		Files yaml.Node `yaml:"data_files"`
		Dir   string    `yaml:"data_dir"`
	} `yaml:"configs"`
}

// declared returns the files that the README.md declares; none if it declares none.
func declared(files fs.FS, folder string) ([]shard, error) {
	readme := path.Join(folder, "README.md")
	data, err := fs.ReadFile(files, readme)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
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
		patterns, err := patternsOf(&c.Files)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: config %s: %w", readme, c.Files.Line, c.Name, err)
		}
		for _, p := range patterns {
			names, err := expand(files, folder, c.Dir, p.path)
			if err != nil {
				return nil, fmt.Errorf("%s: config %s: %w", readme, c.Name, err)
			}
			for _, name := range names {
				all = append(all, shard{c.Name, p.split, name})
			}
		}
	}
	return all, nil
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

// patternsOf reads data_files: a path, a list of paths, or a list of {split, path}.
func patternsOf(n *yaml.Node) ([]shard, error) {
	switch n.Kind {
	case 0:
		return nil, nil
	case yaml.ScalarNode:
		return []shard{{split: "train", path: n.Value}}, nil
	case yaml.SequenceNode:
	default:
		return nil, errors.New("data_files is neither a path nor a list")
	}
	var all []shard
	for _, item := range n.Content {
		if item.Kind == yaml.ScalarNode {
			all = append(all, shard{split: "train", path: item.Value})
			continue
		}
		var one struct {
			Split string    `yaml:"split"`
			Path  yaml.Node `yaml:"path"`
		}
		if err := item.Decode(&one); err != nil || one.Split == "" || one.Path.Kind == 0 {
			return nil, errors.New("an entry of data_files is neither a path nor {split, path}")
		}
		paths := []*yaml.Node{&one.Path}
		if one.Path.Kind == yaml.SequenceNode {
			paths = one.Path.Content
		}
		for _, p := range paths {
			all = append(all, shard{split: one.Split, path: p.Value})
		}
	}
	return all, nil
}

// expand returns the files that a pattern names; ** stands for any folders.
func expand(files fs.FS, folder, dir, pattern string) ([]string, error) {
	pattern = path.Join(dir, strings.ReplaceAll(pattern, "**/", ""))
	if pattern == ".." || strings.HasPrefix(pattern, "../") || path.IsAbs(pattern) {
		return nil, fmt.Errorf("the path %q leaves the folder", pattern)
	}
	pattern = path.Join(folder, pattern)
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, fmt.Errorf("the path %q: %w", pattern, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(Extensions(), strings.ToLower(path.Ext(name))) })
	if len(names) == 0 {
		return nil, fmt.Errorf("no file %s is there that ends in %s", pattern, wording.Or(Extensions()))
	}
	return names, nil
}

var (
	numbered  = regexp.MustCompile(`-\d+-of-\d+$`)
	splitWord = regexp.MustCompile(`(?i)(?:^|[-_. ])(train|test|validation|valid|val|dev)(?:$|[-_. ])`)
)

// found returns the files of a folder that declares none: directly in it, in data,
// and in folders that are configs.
func found(files fs.FS, folder string) ([]shard, error) {
	var all []shard
	for _, pattern := range []string{"*", "*/*"} {
		names, err := fs.Glob(files, path.Join(folder, pattern))
		if err != nil {
			return nil, fmt.Errorf("the folder %s: %w", folder, err)
		}
		for _, name := range names {
			if !slices.Contains(Extensions(), strings.ToLower(path.Ext(name))) || strings.HasPrefix(path.Base(name), ".") {
				continue
			}
			config := path.Base(path.Dir(name))
			if path.Dir(name) == folder || config == "data" {
				config = "default"
			}
			all = append(all, shard{config, splitOf(name), name})
		}
	}
	return all, nil
}

// splitOf returns the split that a file's name says, as test in test-00000-of-00002.parquet.
func splitOf(name string) string {
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if m := splitWord.FindStringSubmatch(stem); m != nil {
		switch word := strings.ToLower(m[1]); word {
		case "valid", "val":
			return "validation"
		default:
			return word
		}
	}
	return numbered.ReplaceAllString(stem, "")
}
