"""Checks custom resources against the schemas of their definitions, as a cluster that prunes nothing would.

Usage: validate_custom_resources.py DEFINITION... < manifests.yaml
Writes a line for each fault, and the number of resources that were checked last.
"""

import sys

import jsonschema
import yaml


def strict(schema):
    """A cluster drops fields that it does not know; here they are faults."""
    if not isinstance(schema, dict):
        return schema
    made = {key: value for key, value in schema.items() if key != "format"}
    if "properties" in made:
        made["properties"] = {name: strict(one) for name, one in made["properties"].items()}
        if not made.get("x-kubernetes-preserve-unknown-fields"):
            made.setdefault("additionalProperties", False)
    if isinstance(made.get("additionalProperties"), dict):
        made["additionalProperties"] = strict(made["additionalProperties"])
    if "items" in made:
        made["items"] = strict(made["items"])
    if made.pop("x-kubernetes-int-or-string", False):
        made.pop("anyOf", None)
        made["type"] = ["integer", "string"]
    return made


schemas = {}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        definition = yaml.safe_load(file)
    spec = definition["spec"]
    for version in spec["versions"]:
        schema = strict(version["schema"]["openAPIV3Schema"])
        schema["properties"]["metadata"] = {"type": "object"}
        schemas[(f"{spec['group']}/{version['name']}", spec["names"]["kind"])] = schema

checked = 0
faults = 0
for manifest in yaml.safe_load_all(sys.stdin):
    if manifest is None:
        continue
    schema = schemas.get((manifest["apiVersion"], manifest["kind"]))
    if schema is None:
        continue
    checked += 1
    for fault in jsonschema.Draft7Validator(schema).iter_errors(manifest):
        faults += 1
        place = "/".join(str(part) for part in fault.absolute_path)
        print(f"{manifest['kind']} {manifest['metadata']['name']}: {place}: {fault.message[:300]}")
print(checked)
sys.exit(1 if faults else 0)
