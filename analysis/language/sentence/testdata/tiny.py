"""Makes the folder tiny: a BERT of random weights, 7 kB, to test with always.

    python3 tiny.py && python3 reference.py tiny > tiny.json
"""
import json, pathlib, struct
import numpy, tokenizers

folder = pathlib.Path("tiny")
words = "[PAD] [UNK] [CLS] [SEP] i propose forty app ##les bread ##s for you ! . , ' ##x cafe 日 a b".split()
hidden, wide, layers, places = 8, 12, 2, 16
(folder / "vocab.txt").write_text("\n".join(words) + "\n")
(folder / "config.json").write_text(json.dumps({
    "_name_or_path": "made-up/tiny", "model_type": "bert", "hidden_act": "gelu", "hidden_size": hidden, "intermediate_size": wide,
    "num_attention_heads": 2, "num_hidden_layers": layers, "max_position_embeddings": places, "vocab_size": len(words), "layer_norm_eps": 1e-12}))
(folder / "sentence_bert_config.json").write_text('{"max_seq_length": 10}')
(folder / "modules.json").write_text(json.dumps([{"path": p, "type": "sentence_transformers.models." + t} for p, t in (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize"))]))
(folder / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}')
tokenizers.BertWordPieceTokenizer(str(folder / "vocab.txt")).save(str(folder / "tokenizer.json"))

random = numpy.random.default_rng(7)
shapes = {"embeddings.word_embeddings.weight": (len(words), hidden), "embeddings.position_embeddings.weight": (places, hidden), "embeddings.token_type_embeddings.weight": (2, hidden)}
def dense(name, out, into): shapes.update({name + ".weight": (out, into), name + ".bias": (out,)})
def norm(name): shapes.update({name + ".weight": (hidden,), name + ".bias": (hidden,)})
norm("embeddings.LayerNorm")
for i in range(layers):
    at = f"encoder.layer.{i}."
    for n in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
        dense(at + n, hidden, hidden)
    norm(at + "attention.output.LayerNorm"); dense(at + "intermediate.dense", wide, hidden); dense(at + "output.dense", hidden, wide); norm(at + "output.LayerNorm")
header, data = {}, b""
for name, shape in shapes.items():
    values = random.normal(1 if "LayerNorm.weight" in name else 0, .5, shape).astype("<f4").tobytes()
    header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + len(values)]}
    data += values
text = json.dumps(header).encode()
(folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
