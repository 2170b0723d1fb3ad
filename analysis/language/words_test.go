package language

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Words and sentences of scripts with and without spaces.
func TestOtherScripts(t *testing.T) {
	for _, x := range []struct {
		text             string
		words, sentences int
	}{
		{"我认为我们应该平均分配这些商品。因为每个人的需求不同，所以我建议把更多的苹果给小王。大家同意吗？", 44, 3},
		{"我建议 Alex 得到 40 个苹果！", 10, 1}, // 3, Alex, 2, 40 and 3
		{"東京で。「行こう！」と言った。", 10, 3},     // each kana and character
		{"Предлагаю поделить поровну. Согласны?", 4, 2},
		{"أقترح أن نقسم بالتساوي. هل توافقون؟", 6, 2},
		{"मैं सहमत हूँ। चलो।", 4, 2},
		{"사과를 나누자. 좋아요?", 3, 2},
		{"I propose 40 apples. Do you agree?", 7, 2},
		{"\"Yes.\" – No!", 2, 2},
		{"……", 0, 0},
	} {
		c := Portable.Count(x.text)
		if got := Words(x.text); got != x.words || c.Words != x.words || c.Sentences != x.sentences {
			t.Errorf("%s: %d words, %+v; want %d and %d sentences", x.text, got, c, x.words, x.sentences)
		}
	}
}

func TestEnglish(t *testing.T) {
	for text, want := range map[string]bool{
		"I think that we should share the apples in equal parts, since all of us have the same needs.": true,
		"Apples 40, pears 20!":      true, // too short to tell
		"Agreed":                    true,
		"":                          true,
		"Согласен с этим":           false,
		"我同意":                       false,
		"我同意 with the plan of Alex": true, // mostly Latin
		strings.Repeat("Ich schlage vor, dass wir die Äpfel gleichmäßig verteilen, denn wir alle haben denselben Bedarf. ", 4):               false,
		strings.Repeat("Propongo que repartamos las manzanas a partes iguales, porque todos tenemos la misma necesidad. ", 4):                false,
		strings.Repeat("Je propose de partager les pommes en parts égales, car nous avons tous les mêmes besoins. ", 4):                      false,
		strings.Repeat("Ik stel voor dat we de appels gelijk verdelen, want we hebben in dit spel allemaal hetzelfde nodig. ", 4):            false,
		strings.Repeat("Proponho que a gente divida as maçãs do grupo em partes iguais, já que todos têm a mesma necessidade. ", 4):          false,
		strings.Repeat("I value apples most. My offer is 40 of them for Blake, and the pears to Casey. Would that work for all of you? ", 4): true,
	} {
		if got := IsEnglish([]string{text}); got != want {
			t.Errorf("%s: English %t", text, got)
		}
	}
}

// A text of ASCII alone is judged as it is with a dash, which is no letter and for which all is looked at by rune.
func TestEnglishOfASCII(t *testing.T) {
	x := rand.New(rand.NewPCG(1, 2))
	parts := []string{"The", "should", "(of)", "wouldn't", "to-to", "[and]", "x", "...", "40", "\t", "@it`", "appelsap", "SHOULDER", "\v", "1th3"}
	for range 20_000 {
		var b strings.Builder
		for range 40 + x.IntN(60) {
			part := "woord"
			if x.IntN(5) == 0 {
				part = parts[x.IntN(len(parts))]
			}
			b.WriteString(part + " \n"[x.IntN(2):][:1])
		}
		text := b.String()
		if got, want := IsEnglish([]string{text}), IsEnglish([]string{text + " –"}); got != want {
			t.Fatalf("%q: English %t, want %t", text, got, want)
		}
	}
}
