"""A program that uses every package of the layers once, with nothing but them to import; see `test_real_layers`.

Usage: layer_exercise.py EXAMPLES MODEL. It prints what came out as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import docshelf.index.lance_stub  # noqa: F401  as the functions import LanceDB
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import resolve_model
from docshelf.settings import Limits


def embedding(model: Path) -> dict[str, Any]:
    with Embedder(resolve_model(str(model)), threads=1) as embedder:
        near, far = embedder.embed_passages(["The lease of the office ends in May.", "Whales are mammals."])
        query = embedder.embed_query("When does the office lease end?")
        return {"dimension": len(query), "nearer": bool(query @ near > query @ far)}


def parsing(examples: Path) -> dict[str, Any]:
    with ParserProcess(Limits()) as parser:
        found = {}
        for key in ("finance/annual-report-2025.pdf", "people/leave-policy.docx", "operations/backup.html"):
            found[Path(key).suffix] = len(parser.parse((examples / key).read_bytes(), key).text)
        return found


def storing(directory: str) -> dict[str, Any]:
    import lancedb
    import numpy as np
    import pyarrow as pa
    from lancedb.index import FTS, IvfRq

    random = np.random.default_rng(1)
    vectors = random.normal(size=(600, 32)).astype(np.float32)
    rows = pa.table(
        {
            "id": pa.array(range(600), pa.int64()),
            "text": [f"number {each} word{each % 7}" for each in range(600)],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 32),
        }
    )
    table = lancedb.connect(directory).create_table("rows", rows)
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows.slice(0, 10))
    table.delete("id >= 590")
    table.create_index("text", config=FTS())
    table.create_index("vector", config=IvfRq(distance_type="l2", num_partitions=2))
    table.wait_for_index(["text_idx", "vector_idx"], timeout=timedelta(seconds=60))
    hybrid = table.search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
    return {
        "rows": table.count_rows(),
        "vector": table.search(vectors[5]).limit(1).to_arrow()["id"].to_pylist(),
        "text": table.search("number word3", query_type="fts", fts_columns="text").limit(3).to_arrow().num_rows,
        "hybrid": hybrid.vector(vectors[5]).text("word5").limit(4).to_arrow().num_rows,
        "index": [index.index_type for index in table.list_indices() if index.name == "vector_idx"],
    }


def signing() -> dict[str, Any]:
    import jwt
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    token = jwt.encode({"sub": "person"}, key, algorithm="RS256")
    sealed = AESGCM(b"k" * 32).encrypt(b"n" * 12, b"secret", None)
    return {
        "claims": jwt.decode(token, key.public_key(), algorithms=["RS256"]),
        "sealed": AESGCM(b"k" * 32).decrypt(b"n" * 12, sealed, None).decode(),
    }


def calling() -> list[str]:
    import boto3

    session = boto3.Session(aws_access_key_id="x", aws_secret_access_key="y", region_name="eu-central-1")
    clients = (
        session.client("s3"),
        session.client("sqs"),
        session.client("secretsmanager"),
        session.client("sts"),
        session.client("textract"),
    )
    return [client.meta.endpoint_url for client in clients]


def serving() -> list[str]:
    import httpx2
    import mcp.server.lowlevel
    from aws_lambda_powertools import Logger, Metrics

    from docshelf.commit.lane import Lane
    from docshelf.ingest.function import Ingest
    from docshelf.serving.function import SearchFunction
    from docshelf.signin.function import SigninFunction

    httpx2.Client().close()
    used = (Logger, Metrics, mcp.server.lowlevel.Server, Lane, Ingest, SearchFunction, SigninFunction)
    return [each.__name__ for each in used]


def main(examples: Path, model: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        found = {
            "embedding": embedding(model),
            "parsing": parsing(examples),
            "storing": storing(directory),
            "signing": signing(),
            "calling": calling(),
            "serving": serving(),
            "python": sys.version_info[:2],
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
