package scripted

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"roundtable/activities/model"
)

const recording = `{"collaboration":"c1","entry":0,"text":"{\"a\":1}","model":"gpt-x"}

{"collaboration":"c1","entry":0,"ask":1,"base64":"/w==","mean_logprob":-0.25,"logprob_tokens":12}
{"condition":"k","instance":2,"replicate":3,"entry":4,"ask":0,"text":""}
`

func askRecorded(t *testing.T, s Recorded, scene *model.Scene) (model.Response, *model.Error) {
	t.Helper()
	r, err := NewReplay(s).Complete(t.Context(), model.Request{Scene: scene})
	if err == nil {
		return r, nil
	}
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T)", err, err)
	}
	return r, e
}

func TestRecordedAnswers(t *testing.T) {
	f, err := ReadRecording(strings.NewReader(recording))
	if err != nil || f.Len() != 3 {
		t.Fatal(f, err)
	}
	for _, c := range []struct {
		scene       model.Scene
		text, model string
		logprob     *model.Logprob
	}{
		{model.Scene{Turn: model.Turn{Collaboration: "c1"}}, `{"a":1}`, "gpt-x", nil},
		{model.Scene{Turn: model.Turn{Collaboration: "c1", Ask: 1}}, "\xff", "replay", &model.Logprob{Mean: -0.25, Tokens: 12}},
		{model.Scene{Turn: model.Turn{Collaboration: "other", Condition: "k", Instance: 2, Replicate: 3, Entry: 4}}, "", "replay", nil},
	} {
		r, e := askRecorded(t, f, &c.scene)
		if e != nil || string(r.Text) != c.text || r.Model != c.model || r.FinishReason != "stop" || r.Usage != (model.Usage{}) || !reflect.DeepEqual(r.Logprob, c.logprob) {
			t.Errorf("%+v: got %+v, %v", c.scene, r, e)
		}
	}
}

func TestMissingAnswerFailsAndIsNamed(t *testing.T) {
	f, _ := ReadRecording(strings.NewReader(recording))
	for _, s := range []model.Scene{
		{Turn: model.Turn{Collaboration: "c1", Entry: 1}},
		{Turn: model.Turn{Collaboration: "c1", Ask: 2}},
		{Turn: model.Turn{Collaboration: "c2", Condition: "k", Instance: 2, Replicate: 4, Entry: 4}},
	} {
		_, e := askRecorded(t, f, &s)
		if e == nil || e.Class != model.Fail || e.Code != "missing_answer" || !strings.Contains(e.Message, s.Collaboration) || !strings.Contains(e.Message, "entry") {
			t.Errorf("%+v: got %v", s, e)
		}
	}
	if _, e := askRecorded(t, f, nil); e == nil || e.Class != model.Fail {
		t.Errorf("without a scene: %v", e)
	}
}

type broken struct{}

func (broken) Answer(context.Context, string, int, int) (model.Response, error) {
	return model.Response{}, errors.New("disk on fire")
}

func TestUnreadableSourceIsTriedAgain(t *testing.T) {
	if _, e := askRecorded(t, broken{}, &model.Scene{}); e == nil || e.Class != model.Retry || !strings.Contains(e.Message, "disk on fire") {
		t.Errorf("got %v", e)
	}
}

func TestFaultyFiles(t *testing.T) {
	for text, want := range map[string]string{
		`{"collaboration":"c","entry":0,"text":"a"}` + "\n" + `{"collaboration":"c","entry":0,"ask":0,"text":"b"}`: "line 2: entry 0, ask 0 of c is on line 1 already",
		`{"collaboration":"c","entry":0,"text":"a","colour":1}`:                                                    "line 1",
		`{"collaboration":"c","entry":0}`:                                                                          "text or base64",
		`{"collaboration":"c","entry":0,"text":"a","base64":""}`:                                                   "text or base64",
		`{"collaboration":"c","entry":0,"base64":"*"}`:                                                             "base64",
		`{"collaboration":"c","text":"a"}`:                                                                         "entry",
		`{"collaboration":"c","entry":-1,"text":"a"}`:                                                              "entry",
		`{"condition":"k","instance":1,"entry":0,"text":"a"}`:                                                      "replicate",
		`{"collaboration":"c","entry":0,"text":"a"} {}`:                                                            "line 1",
		`{"collaboration":"c","entry":0,"text":"a","mean_logprob":-1}`:                                             "both mean_logprob and logprob_tokens",
		`{"collaboration":"c","entry":0,"text":"a","mean_logprob":0.5,"logprob_tokens":3}`:                         "0 or less",
		`{"collaboration":"c","entry":0,"text":"a","mean_logprob":-1,"logprob_tokens":0}`:                          "number from 1",
		"\n\nnonsense": "line 3",
		`{"collaboration":"c","entry":0,"text":"` + "\xff" + `"}`:                "line 1",
		`{"collaboration":"c","entry":0,"text":"` + strings.Repeat("x", maxLine): "too long",
	} {
		if _, err := ReadRecording(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
	}
}
