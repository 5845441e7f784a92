"""What README.md and docs/ show of Python runs, and prints what they say. docs/torch.md has a test in torch/."""

import documents
import numpy as np
import pytest

import sectile

# What examples use that stands in no block.
NAMES = {"x": np.ones((8, 8), "f4")}
OF_TORCH = "docs/torch.md"


@pytest.mark.parametrize("page", [page for page in documents.PAGES if page != OF_TORCH])
def test_page(page):
    names = {"np": np, "sectile": sectile}
    for line, block in documents.blocks(page):
        for name, value in NAMES.items():
            names.setdefault(name, value)
        try:
            documents.run(page, line, block, names)
        except (sectile.NoEngineError, sectile.BadArgumentError) as problem:
            # No OpenCL, no device, or one that has no parts.
            assert "opencl" in block, problem


def test_there_are_examples():
    assert {"README.md", "docs/python.md", OF_TORCH} <= set(documents.PAGES)
    assert sum(block.count(">>> ") for _, block in documents.blocks("docs/python.md")) > 20
