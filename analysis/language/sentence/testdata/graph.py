"""Writes the BERT of a folder's model.safetensors as ONNX: the same weights, so
that both engines must give the same vectors. Needs onnx and numpy.

    python3 graph.py tiny tiny/onnx/model.onnx         # as exporters write BERT
    python3 graph.py tiny distil/model.onnx --untyped  # without the input token_type_ids, as of DistilBERT and MPNet

For all-MiniLM-L6-v2 (reference.py): python3 graph.py FOLDER FOLDER/onnx/model.onnx
"""
import json, math, pathlib, struct, sys
import numpy, onnx
from onnx import TensorProto, helper, numpy_helper

folder, target, untyped = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), "--untyped" in sys.argv
config = json.loads((folder / "config.json").read_text())
data = (folder / "model.safetensors").read_bytes()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
heads, width = config["num_attention_heads"], config["hidden_size"] // config["num_attention_heads"]
nodes, constants = [], {}

def tensor(name):
    a, b = header[name]["data_offsets"]
    return numpy.frombuffer(data[8 + size + a:8 + size + b], "<f4").reshape(header[name]["shape"])

def const(name, value):
    constants.setdefault(name, numpy_helper.from_array(numpy.asarray(value, order="C"), name))
    return name

def weight(name): return const(name, tensor(name))
def real(value): return const(f"number {value}", numpy.array(value, "float32"))
def whole(value): return const(f"whole {value}", numpy.array(value, "int64"))

def op(kind, *inputs, **attributes):
    name = f"{kind} {len(nodes)}"
    nodes.append(helper.make_node(kind, inputs, [name], **attributes))
    return name

def norm(x, name):
    return op("LayerNormalization", x, weight(name + ".weight"), weight(name + ".bias"), axis=-1, epsilon=config["layer_norm_eps"])

def linear(x, name):
    return op("Add", op("MatMul", x, const(name + ".weight", tensor(name + ".weight").T)), weight(name + ".bias"))

def split(x, order):
    return op("Transpose", op("Reshape", x, whole([0, 0, heads, width])), perm=order)

e = "embeddings."
x = op("Gather", weight(e + "word_embeddings.weight"), "input_ids")
length = op("Gather", op("Shape", "input_ids"), whole(1))
places = op("Range", whole(0), length, whole(1))
x = op("Add", x, op("Gather", weight(e + "position_embeddings.weight"), places))
types = op("Mul", "input_ids", whole(0)) if untyped else "token_type_ids"
x = norm(op("Add", x, op("Gather", weight(e + "token_type_embeddings.weight"), types)), e + "LayerNorm")
hidden = op("Unsqueeze", op("Sub", real(1), op("Cast", "attention_mask", to=TensorProto.FLOAT)), whole([1, 2]))
hidden = op("Mul", hidden, real(-1e9))  # tokens that are not attended to
for i in range(config["num_hidden_layers"]):
    at = f"encoder.layer.{i}."
    q, k, v = (split(linear(x, at + "attention.self." + n), order) for n, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])))
    scores = op("Add", op("Div", op("MatMul", q, k), real(math.sqrt(width))), hidden)
    a = op("Transpose", op("MatMul", op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
    a = op("Reshape", a, whole([0, 0, heads * width]))
    x = norm(op("Add", x, linear(a, at + "attention.output.dense")), at + "attention.output.LayerNorm")
    h = linear(x, at + "intermediate.dense")
    h = op("Mul", op("Mul", h, real(.5)), op("Add", op("Erf", op("Div", h, real(math.sqrt(2)))), real(1)))
    x = norm(op("Add", x, linear(h, at + "output.dense")), at + "output.LayerNorm")
nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))

names = ["input_ids", "attention_mask"] + ["token_type_ids"] * (not untyped)
inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "sequence"]) for n in names]
output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", heads * width])
graph = helper.make_graph(nodes, "bert", inputs, [output], list(constants.values()))
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="graph.py")
onnx.checker.check_model(model)
target.parent.mkdir(parents=True, exist_ok=True)
onnx.save(model, target)
