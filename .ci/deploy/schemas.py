#!/usr/bin/env python3
"""Makes the schemas of Terraform providers in schemas/, which CI checks against.

Providers come from Terraform's registry, which CI does not need: the npm packages
@cdktf/provider-NAME are generated from the same schemas, and this reads them back,
as `terraform providers schema -json` has them, of the resources that
infra/deploy/terraform uses. After using another resource, run:

    npm pack @cdktf/provider-aws@21.22.1 @cdktf/provider-random@12.0.1
    .ci/deploy/schemas.py cdktf-provider-*.tgz
"""

import base64
import json
import pathlib
import re
import sys
import tarfile

HERE = pathlib.Path(__file__).parent
USES = HERE.parent.parent / "infra/deploy/terraform"

SIMPLE = [  # how a getter reads an attribute, and of what type that is
    ("cdktf.Fn.tolist(this.getListAttribute", ["set", "string"]),
    ("cdktf.Token.asNumberList(cdktf.Fn.tolist(this.getNumberListAttribute", ["set", "number"]),
    ("this.getStringAttribute", "string"),
    ("this.getNumberAttribute", "number"),
    ("this.getBooleanAttribute", "bool"),
    ("this.getListAttribute", ["list", "string"]),
    ("this.getNumberListAttribute", ["list", "number"]),
    ("this.getStringMapAttribute", ["map", "string"]),
    ("this.getNumberMapAttribute", ["map", "number"]),
    ("this.getBooleanMapAttribute", ["map", "bool"]),
]


class Source:
    """One file of a package: its classes and what its values are written as."""

    def __init__(self, compiled):
        # The flags of an attribute are comments, which only the TypeScript has.
        encoded = re.search(r"//# sourceMappingURL=data:application/json;base64,(\S+)", compiled)[1]
        self.text = text = json.loads(base64.b64decode(encoded))["sourcesContent"][0]
        self.classes = {m[1]: (m[2], m[3]) for m in re.finditer(r"^export class (\w+) extends cdktf\.(\w+) \{\n(.*?)^\}", text, re.M | re.S)}
        self.writers = {m[1]: m[2] for m in re.finditer(r"^export function (\w+)ToHclTerraform\(.*?\): any \{\n(.*?)^\}", text, re.M | re.S)}

    def main(self):
        """The class of the resource itself, or None: some files hold only a list of files."""
        return next((name for name, (base, _) in self.classes.items() if base in ("TerraformResource", "TerraformDataSource", "TerraformProvider")), None)

    def fields(self, name):
        """name in Terraform → (flags, how it is read), of a class."""
        body = self.classes[name][1]
        nested = {m[2]: (m[1], m[3]) for m in re.finditer(r'= new (\w+)\(this, "(\w+)"(?:, (true|false))?\);', body)}
        found = {}
        for m in re.finditer(r"// (\w+) - computed: (\w+), optional: (\w+), required: (\w+)", body):
            found[m[1]] = {k: True for k, v in zip(("computed", "optional", "required"), m.groups()[1:]) if v == "true"}
        if self.classes[name][0] != "ComplexObject" and re.search(r"^\s+public get id\(\)", body, re.M) and "id" not in found:
            found["id"] = {"optional": True, "computed": True}
        read = {}
        for m in re.finditer(r"return (.*?\(['\"](\w+)['\"]\).*?);", body):
            read.setdefault(m[2], m[1])
        return {n: (flags, nested.get(n), read.get(n, "")) for n, flags in found.items()}

    def is_block(self, name, field):
        """Whether a field is written as a block."""
        body = self.classes[name][1]
        if self.classes[name][0] == "ComplexObject":
            struct = name.removesuffix("OutputReference")
            body = self.writers.get(struct[0].lower() + struct[1:], "")
        m = re.search(r"\b" + field + r": \{.*?isBlock: (true|false),\n\s+type: \"(\w+)\"", body, re.S)
        return (m[1] == "true", m[2]) if m else (False, "")

    def type_of(self, cls):
        """The type of a value that a class reads."""
        return ["object", {n: self.attribute_type(nested, read) for n, (_, nested, read) in self.fields(cls).items()}]

    def attribute_type(self, nested, read):
        if nested:
            cls, is_set = nested
            if cls.endswith("Map") and cls not in self.classes:
                return ["map", "string"]
            inner = self.type_of(cls.removesuffix("List").removesuffix("Map") + "OutputReference" if not cls.endswith("OutputReference") else cls)
            return ["set" if is_set == "true" else "list", inner]
        for how, kind in SIMPLE:
            if read.startswith(how):
                return kind
        if not read or read.startswith("this.interpolationForAttribute"):
            return "dynamic"
        raise SystemExit(f"cannot tell the type of: {read}")

    def block(self, cls):
        attributes, blocks = {}, {}
        for name, (flags, nested, read) in sorted(self.fields(cls).items()):
            is_block, kind = self.is_block(cls, name)
            if nested and is_block and nested[0] in self.classes:
                inner, is_set = nested
                single = inner.endswith("OutputReference")
                of = inner if single else inner.removesuffix("List") + "OutputReference"
                b = {"nesting_mode": "single" if single and name == "timeouts" else "set" if is_set == "true" else "list", "block": self.block(of)}
                if single and name != "timeouts":
                    b["max_items"] = 1
                if flags.get("required"):
                    b["min_items"] = 1
                blocks[name] = b
            else:
                attributes[name] = {"type": self.attribute_type(nested, read), **flags}
        made = {}
        if attributes:
            made["attributes"] = attributes
        if blocks:
            made["block_types"] = blocks
        return made


def used():
    """(kind, type) of what the configuration uses."""
    text = "\n".join(p.read_text() for p in sorted(USES.glob("*.tf")))
    return {(m[1], m[2]) for m in re.finditer(r'^(resource|data) "(\w+)"', text, re.M)}


def schema(archive):
    with tarfile.open(archive) as tar:
        read = lambda path: tar.extractfile("package/lib/" + path + "/index.js").read().decode()
        provider = json.loads(tar.extractfile("package/package.json").read())
        name = re.search(r"provider-(\w+)", provider["name"])[1]
        provider_source = Source(read("provider"))
        made = {
            "provider": {"version": 0, "block": provider_block(provider_source)},
            "resource_schemas": {},
            "data_source_schemas": {},
        }
        for kind, full in sorted(used()):
            if not full.startswith(name + "_"):
                continue
            folder = ("data-" + name + "-" if kind == "data" else "") + full.removeprefix(name + "_").replace("_", "-")
            source = Source(read(folder))
            made["resource_schemas" if kind == "resource" else "data_source_schemas"][full] = {"version": 0, "block": source.block(source.main())}
        version = re.search(r"providerVersion: '([^']+)'", provider_source.text)[1]
    out = {"generated_by": f"schemas.py from {provider['name']}@{provider['version']}, provider {version}",
           "format_version": "1.0", "provider_schemas": {f"registry.terraform.io/hashicorp/{name}": made}}
    (HERE / "schemas" / f"{name}.json").write_text(json.dumps(out, indent=1, sort_keys=True) + "\n")
    print(f"{name} {version}: {len(made['resource_schemas'])} resources, {len(made['data_source_schemas'])} data sources")


def provider_block(source):
    """A provider's own settings: they are written only, so how they are written says their type."""
    kinds = {"string": "string", "number": "number", "boolean": "bool", "stringList": ["set", "string"], "stringMap": ["map", "string"]}

    def of(body, writers):
        attributes, blocks = {}, {}
        for m in re.finditer(r"(\w+): \{\n\s+value: (.*?),\n\s+isBlock: (true|false),\n\s+type: \"(\w+)\",\n\s+storageClassType: \"(\w+)\"", body):
            if m[3] == "true":
                struct = m[5].removesuffix("List")
                blocks[m[1]] = {"nesting_mode": "set" if m[4] == "set" else "list", "block": of(writers.get(struct[0].lower() + struct[1:], ""), writers)}
            else:
                attributes[m[1]] = {"type": kinds[m[5]], "optional": True}
        return {k: v for k, v in (("attributes", attributes), ("block_types", blocks)) if v}

    return of(source.classes[source.main()][1], source.writers)


for archive in sys.argv[1:]:
    schema(archive)
