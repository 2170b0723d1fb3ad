package sentence

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"roundtable/analysis/lake/store"
)

// tokenizer is BERT's WordPiece (Devlin et al. 2019).
type tokenizer struct {
	ids              map[string]int
	lower            bool // lower case without accents
	longest          int  // tokens that the model reads, the first and the last included
	begin, end, none int  // [CLS], [SEP], [UNK]
}

// families are the models whose words are put together as BERT's, each with what
// its texts begin and end with. Others, such as RoBERTa, have other words.
var families = map[string][2]string{
	"bert": {"[CLS]", "[SEP]"}, "distilbert": {"[CLS]", "[SEP]"}, "mpnet": {"<s>", "</s>"},
}

// maxLetters is the longest word that is looked up.
const maxLetters = 100

func readTokenizer(folder string, c config) (tokenizer, error) {
	t := tokenizer{longest: c.Positions}
	ends, known := families[c.Type]
	switch {
	case !known:
		return t, fmt.Errorf("config.json says model_type %q; bert is computed (all-MiniLM, paraphrase-MiniLM, bge, "+
			"e5, gte and others of that family), with ONNX Runtime distilbert and mpnet too", c.Type)
	case c.Positions < 3 || c.Words < 1:
		return t, errImpossible
	}
	settings := struct {
		Lower   *bool   `json:"do_lower_case"`
		Accent  *bool   `json:"strip_accents"`
		Longest float64 `json:"model_max_length"`
		Class   string  `json:"tokenizer_class"`
	}{}
	if err := readJSON(folder, "tokenizer_config.json", &settings); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	switch strings.TrimSuffix(settings.Class, "Fast") {
	case "", "BertTokenizer", "DistilBertTokenizer", "MPNetTokenizer":
	default: // such as BertJapaneseTokenizer, which finds words in its own way
		return t, fmt.Errorf("tokenizer_config.json names the tokenizer %s; BertTokenizer, DistilBertTokenizer and "+
			"MPNetTokenizer are computed", settings.Class)
	}
	t.lower = settings.Lower == nil || *settings.Lower
	if settings.Accent != nil && *settings.Accent != t.lower {
		return t, errors.New("tokenizer_config.json treats accents and case apart, which is not computed")
	}
	limits := struct {
		Longest int `json:"max_seq_length"`
	}{}
	if err := readJSON(folder, "sentence_bert_config.json", &limits); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	switch { // as sentence-transformers does
	case limits.Longest > 2:
		t.longest = min(t.longest, limits.Longest)
	case settings.Longest > 2 && settings.Longest < float64(t.longest):
		t.longest = int(settings.Longest)
	}
	var err error
	if t.ids, err = readWords(folder); err != nil {
		return t, err
	}
	for word, id := range map[string]*int{ends[0]: &t.begin, ends[1]: &t.end, "[UNK]": &t.none} {
		var known bool
		if *id, known = t.ids[word]; !known {
			return t, fmt.Errorf("the vocabulary has no %s", word)
		}
	}
	for word, id := range t.ids {
		if id < 0 || id >= c.Words {
			return t, fmt.Errorf("the vocabulary gives %q the number %d; config.json knows %d", word, id, c.Words)
		}
	}
	return t, nil
}

// readWords reads vocab.txt, a word a line, or the vocabulary in tokenizer.json.
func readWords(folder string) (map[string]int, error) {
	data, err := store.ReadFile(filepath.Join(folder, "vocab.txt"), maxJSON)
	if errors.Is(err, fs.ErrNotExist) {
		var file struct {
			Model struct {
				Type  string         `json:"type"`
				Vocab map[string]int `json:"vocab"`
			} `json:"model"`
		}
		err = readJSON(folder, "tokenizer.json", &file)
		if err == nil && file.Model.Type != "WordPiece" {
			err = fmt.Errorf("tokenizer.json is of type %q; WordPiece is computed", file.Model.Type)
		}
		return file.Model.Vocab, err
	}
	ids := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		ids[lines.Text()] = len(ids)
	}
	return ids, err
}

// splitTokens returns the numbers of a text's tokens, with the first and the last, cut at the longest.
func (t tokenizer) splitTokens(text string) []int {
	ids := []int{t.begin}
	for _, word := range t.splitWords(text) {
		ids = append(ids, t.splitPieces(word)...)
		if len(ids) >= t.longest {
			ids = ids[:t.longest-1]
			break
		}
	}
	return append(ids, t.end)
}

// splitWords returns what spaces separate; each mark and each Chinese character is one of its own.
func (t tokenizer) splitWords(text string) []string {
	var clean strings.Builder
	for _, r := range text {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || unicode.IsSpace(r):
			clean.WriteByte(' ')
		case r == 0 || r == unicode.ReplacementChar || unicode.Is(unicode.C, r):
		case unicode.Is(unicode.Han, r):
			clean.WriteString(" " + string(r) + " ")
		default:
			clean.WriteRune(r)
		}
	}
	text = clean.String()
	if t.lower {
		text = strings.ToLower(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(text)))
	}
	var words []string
	for word := range strings.FieldsSeq(text) {
		begin := 0
		for i, r := range word {
			if !isMark(r) {
				continue
			}
			if i > begin {
				words = append(words, word[begin:i])
			}
			begin = i + len(string(r))
			words = append(words, word[i:begin])
		}
		if begin < len(word) {
			words = append(words, word[begin:])
		}
	}
	return words
}

// isMark reports whether a character is punctuation; of ASCII all that is not a letter or digit.
func isMark(r rune) bool {
	return r < 128 && r > ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != 127 || unicode.IsPunct(r)
}

// splitPieces returns the longest known beginnings of what is left of a word; one
// unknown token if it cannot be put together.
func (t tokenizer) splitPieces(word string) []int {
	if len([]rune(word)) > maxLetters {
		return []int{t.none}
	}
	var ids []int
	prefix := ""
	for word != "" {
		end := len(word)
		id, known := t.ids[prefix+word]
		for !known && end > 0 {
			for end--; end > 0 && !beginsRune(word[end]); end-- {
			}
			id, known = t.ids[prefix+word[:end]]
			known = known && end > 0
		}
		if !known {
			return []int{t.none}
		}
		ids, word, prefix = append(ids, id), word[end:], "##"
	}
	return ids
}

func beginsRune(b byte) bool { return b&0xC0 != 0x80 }
