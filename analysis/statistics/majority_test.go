package statistics

import "testing"

func TestPlurality(t *testing.T) {
	reply := func(keys string) Replies {
		var r Replies
		for _, k := range keys {
			switch k {
			case '-':
				r = append(r, Reply{})
			default:
				r = append(r, Reply{Key: string(k), Right: k == 'A'})
			}
		}
		return r
	}
	for keys, want := range map[string]float64{
		"AAB": 1, "ABB": 0, "AB": 0.5, "AABBC": 0.5, "ABC": 1. / 3, "BBCC": 0, "A--": 1, "---": 0, "": 0, "ABBCC": 0, "AABBCC": 1. / 3,
	} {
		if got := reply(keys).Plurality(); got != want {
			t.Errorf("%q: %v, want %v", keys, got, want)
		}
	}
	if got := reply("A-B").Read(); len(got) != 2 || got[1].Key != "B" {
		t.Errorf("read %v", got)
	}
}
