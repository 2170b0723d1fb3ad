//go:build cgo

package sentence

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// session is a model that ONNX Runtime computes, a text at a time: without
// padding no vector depends on another text, and the longest text bounds memory.
type session struct {
	ort    *ort.DynamicAdvancedSession
	inputs []string
	width  int // numbers a token; 0 while it is not known
}

// openGraph loads the library and the model, and lets it compute once.
func openGraph(path, library string) (engine, error) {
	if err := loadLibrary(library); err != nil {
		return nil, err
	}
	ins, outs, err := ort.GetInputOutputInfo(path)
	if err != nil {
		return nil, err
	}
	inputs, output, err := modelEnds(ins, outs)
	if err != nil {
		return nil, err
	}
	options, err := sessionOptions()
	if err != nil {
		return nil, err
	}
	defer func() { _ = options.Destroy() }()
	s := &session{inputs: inputs}
	if s.ort, err = ort.NewDynamicAdvancedSession(path, inputs, []string{output}, options); err != nil {
		return nil, err
	}
	tried, err := s.hiddenStates([]int{0, 0})
	if err != nil {
		return nil, errors.Join(err, s.ort.Destroy())
	}
	s.width = len(tried) / 2
	return s, nil
}

// sessionOptions are for texts one by one on machines that do other things too.
func sessionOptions() (*ort.SessionOptions, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	// A plan of memory for each length of text would grow without gain, and
	// threads that wait by turning around took more than half of the processor.
	return options, errors.Join(options.SetMemPattern(false),
		options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"))
}

// loading: a process has one ONNX Runtime, the first that could be loaded.
var loading sync.Mutex

func loadLibrary(library string) error {
	loading.Lock()
	defer loading.Unlock()
	if ort.IsInitialized() {
		return nil
	}
	names := []string{library}
	if library == "" {
		names = usualNames()
	}
	var errs []string
	for _, name := range names {
		ort.SetSharedLibraryPath(name)
		err := ort.InitializeEnvironment(ort.WithLogLevelFatal())
		if err == nil {
			return nil
		}
		errs = append(errs, strings.TrimPrefix(err.Error(), "Platform-specific initialization failed: "))
	}
	return fmt.Errorf("its library cannot be loaded: %s (%s names the file of version 1.24 or later; Python's "+
		"package onnxruntime holds it as capi/libonnxruntime.*)", strings.Join(errs, "; "), LibraryVariable)
}

// usualNames returns what systems call the library.
func usualNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
}

// modelEnds returns the names of the inputs, in the model's order, and of the output
// with the states of all tokens.
func modelEnds(ins, outs []ort.InputOutputInfo) (inputs []string, output string, err error) {
	for _, in := range ins {
		known := in.Name == "input_ids" || in.Name == "attention_mask" || in.Name == "token_type_ids"
		if !known || in.DataType != ort.TensorElementDataTypeInt64 || len(in.Dimensions) != 2 {
			return nil, "", fmt.Errorf("it wants %s; input_ids, attention_mask and token_type_ids are given, as "+
				"64-bit integers of texts × tokens", &in)
		}
		inputs = append(inputs, in.Name)
	}
	if !slices.Contains(inputs, "input_ids") {
		return nil, "", errors.New("it does not take input_ids, the tokens of texts")
	}
	var names []string
	for _, out := range outs {
		if out.DataType == ort.TensorElementDataTypeFloat && len(out.Dimensions) == 3 {
			return inputs, out.Name, nil
		}
		names = append(names, out.String())
	}
	return nil, "", fmt.Errorf("it gives %s; the states of all tokens are read, 32-bit numbers of texts × tokens × width", strings.Join(names, ", "))
}

func (s *session) hiddenStates(ids []int) ([]float32, error) {
	given := make([]ort.Value, len(s.inputs))
	for i, name := range s.inputs {
		input, err := ort.NewTensor(ort.NewShape(1, int64(len(ids))), inputNumbers(name, ids))
		if err != nil {
			return nil, err
		}
		defer func() { _ = input.Destroy() }()
		given[i] = input
	}
	got := []ort.Value{nil}
	if err := s.ort.Run(given, got); err != nil {
		return nil, err
	}
	defer func() { _ = got[0].Destroy() }()
	states, ok := got[0].(*ort.Tensor[float32])
	shape := got[0].GetShape()
	if !ok || len(shape) != 3 || shape[0] != 1 || shape[1] != int64(len(ids)) || s.width > 0 &&
		shape[2] != int64(s.width) || shape[2] < 1 {
		return nil, fmt.Errorf("the model gave numbers of the shape %v for %d tokens", shape, len(ids))
	}
	return states.GetData(), nil
}

// inputNumbers returns what an input is given for a text: its tokens, all of them to be
// attended to, all of the first sentence.
func inputNumbers(input string, ids []int) []int64 {
	values := make([]int64, len(ids))
	for i, id := range ids {
		switch input {
		case "input_ids":
			values[i] = int64(id)
		case "attention_mask":
			values[i] = 1
		}
	}
	return values
}
