"""The kept inputs of the fuzzer: fuzz/corpus.jsonl has each as a JSON string in a line of its own, in order.

usage: corpus.py unpack FOLDER    writes each input to a file, as libFuzzer wants it
       corpus.py pack FOLDER      the inputs of the folder become the kept ones
"""

import hashlib
import json
import pathlib
import sys

KEPT = pathlib.Path(__file__).with_name("corpus.jsonl")


def unpack(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for line in KEPT.read_text(encoding="utf-8").splitlines():
        contents = json.loads(line).encode()
        (folder / hashlib.sha1(contents).hexdigest()).write_bytes(contents)


def pack(folder):
    lines = {json.dumps(file.read_bytes().decode()) for file in folder.iterdir()}
    KEPT.write_text("".join(line + "\n" for line in sorted(lines)), encoding="utf-8")


if len(sys.argv) != 3 or sys.argv[1] not in ("pack", "unpack"):
    sys.exit(__doc__)
{"pack": pack, "unpack": unpack}[sys.argv[1]](pathlib.Path(sys.argv[2]))
