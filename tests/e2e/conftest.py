"""One private instance for each test, ended by its pid whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem_testkit.private_daemon import Instance


@pytest.fixture
def instance(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Instance]:
    made = Instance(tmp_path / "home")
    yield made
    made.close()
    print(f"--- log of the daemon in {request.node.name} ---\n{made.log}")


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A small tree with one answer to each question that the tests ask."""
    folder = tmp_path / "documents"
    (folder / "guides").mkdir(parents=True)
    (folder / "guides/deploy.md").write_text(DEPLOY)
    (folder / "guides/setup.md").write_text(SETUP)
    (folder / "cookbook.md").write_text(COOKBOOK)
    return folder


DEPLOY = """\
---
title: Deploying
tags: [operations]
---

# Deploying

How a release reaches the servers.

## Rolling back a bad release

Run `shipctl undo --to-previous` on the gateway. The load balancer drains the
new machines first, so nobody sees an error page.

## Required settings

| Variable | Meaning |
| --- | --- |
| `SHIP_REGION` | where the servers stand |
| `SHIP_TOKEN_FILE` | file that holds the credential |
"""

SETUP = """\
# Setting up a workstation

Install the compiler, then the editor.

## Editor

```bash
# not a heading
install-editor --with-plugins
```

## Keyboard

Swap the caps lock key for control.
"""

COOKBOOK = """\
# Cookbook

## Sourdough bread

Feed the starter in the evening, knead in the morning, bake at noon.

## Lentil soup

Simmer the lentils with cumin until they are soft.
"""
