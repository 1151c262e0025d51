"""One of each result of the wire, with values that show every field of the human output."""

from __future__ import annotations

import msgspec

from mdmem_proto.messages import (
    AnswerState,
    ChangeRow,
    ChangesResult,
    Contribution,
    DaemonInfo,
    DocumentRow,
    EvalChange,
    EvalComparison,
    EvalDifference,
    EvalDraftResult,
    EvalFigures,
    EvalQuestion,
    EvalResult,
    EvalSection,
    Excerpt,
    ExportResult,
    GcResult,
    Hit,
    ImportResult,
    IndexResult,
    ListResult,
    ModelFileRow,
    ModelInfo,
    ModelListResult,
    ModelRow,
    OutlineNode,
    OutlineResult,
    Place,
    PreviewLink,
    PreviewPassage,
    PreviewProblem,
    PreviewResult,
    PreviewSection,
    ProblemRow,
    ReadItem,
    ReadManyResult,
    ReadResult,
    RemovedRow,
    Respelling,
    RootInfo,
    RootShowResult,
    SearchResult,
    StatusResult,
    WhyPathResult,
    WhyQueryResult,
)

STATE = AnswerState(
    mode="hybrid",
    degraded=None,
    fresh=True,
    pending_files=0,
    documents=202,
    sections=2422,
    passages=9320,
    embedded=9320,
    coverage="complete",
    keyword_match="matched",
    exact_sections=3,
    took_ms=6.125,
)

PARTIAL_STATE = AnswerState(
    mode="keyword",
    degraded="the model is still loading",
    fresh=False,
    pending_files=12,
    documents=1,
    sections=1,
    passages=4000,
    embedded=1000,
    coverage="partial",
    keyword_match="no_match",
    exact_sections=0,
    took_ms=0.5,
    outstanding="2 changed files of uv are not applied yet",
)

SCATTERED_STATE = msgspec.structs.replace(STATE, exact_sections=0)
"""Each word stands somewhere, all of them nowhere."""

FILTERED_STATE = msgspec.structs.replace(STATE, filtered_sections=5)
FILTERED_OUT_STATE = msgspec.structs.replace(
    STATE, keyword_match="filtered", exact_sections=0, filtered_sections=0
)

BEST = Hit(
    root="uv",
    path="docs/guides/install-python.md",
    heading_path=("Installing Python", "Getting started"),
    part=None,
    lines=(12, 40),
    tokens=310,
    score=0.83,
    kind="document",
    excerpt=Excerpt(
        lines=(14, 19),
        text="To install the latest Python version 🐍:\n\n```console\n$ uv python install\n```\n",
    ),
    matched_passage="To install the latest Python version",
    id="^k3f9a2c7",
)

POINTER = Hit(
    root="uv",
    path="docs/concepts/python-versions.md",
    heading_path=("Python versions", "Managed and system"),
    part=2,
    lines=(7, 7),
    tokens=95,
    score=0.61,
    kind="document",
    excerpt=None,
    matched_passage="uv supports two kinds of Python…",
    id="^0v1w2x3y.2",
)

PREAMBLE = Hit(
    root="notes",
    path="zoë\n\x1b[31m.md",
    heading_path=(),
    part=None,
    lines=(1, 3),
    tokens=9,
    score=0.2,
    kind="document",
    excerpt=None,
    matched_passage=None,
    id="^zzzzzzzz",
)

SEARCH = SearchResult(query="install python", hits=(BEST, POINTER, PREAMBLE), state=STATE, cursor=None)
PART_OF_BEST = msgspec.structs.replace(
    BEST,
    excerpt=Excerpt((14, 14), "| a | b |\n", "lines 14-14 of a table at lines 10-90, under its header"),
    also_in=(
        Place("uv", "docs/copy.md", ("Installing Python",), None, (3, 5)),
        Place("other", "copy.md", (), None, (1, 1)),
    ),
)
EXPLAINED_SEARCH = SearchResult(
    query="install python",
    hits=(
        msgspec.structs.replace(
            BEST,
            score=0.83,
            contributions=(
                Contribution("meaning, by passage 2", 0.5),
                Contribution("word python in text", 0.43),
                Contribution("status: draft", -0.1),
            ),
            lowered_for=("status: draft",),
        ),
    ),
    state=STATE,
    cursor=None,
)
WHY_QUERY = WhyQueryResult(
    "below",
    "it is hit 7, and the page has 5",
    Place("uv", "docs/copy.md", ("Installing Python",), 2, (3, 5)),
    7,
    0.4,
    0.5,
    (Contribution("meaning, by passage 1", 0.4),),
)
WHY_NOT_INDEXED = WhyQueryResult(
    "not_indexed", "build/a.md of the root uv: not indexed: ignored", None, None, None, None, ()
)
MORE_SEARCH = SearchResult(
    query="install python",
    hits=(PART_OF_BEST,),
    state=msgspec.structs.replace(STATE, exact_files=2),
    cursor="5.0123456789abcdef",
)
NEAR_SEARCH = SearchResult(
    query="UV_PYTHN",
    hits=(),
    state=FILTERED_OUT_STATE,
    cursor=None,
    near_misses=(POINTER,),
    did_you_mean=(Respelling("UV_PYTHN", ("UV_PYTHON", "UV_\x1b[31mPYTH")),),
)
EMPTY_SEARCH = SearchResult(query="xyzzy", hits=(), state=PARTIAL_STATE, cursor=None)

READ = ReadResult(
    root="uv",
    path="docs/guides/install-python.md",
    heading_path=("Installing Python", "Getting started"),
    part=None,
    lines=(12, 14),
    tokens=21,
    text="## Getting started\r\n\r\nTo install \x1b[2J the latest 🐍 version",
    id="^k3f9a2c7",
)

READ_MANY = ReadManyResult(
    items=(
        ReadItem("install-python.md#Getting started", READ, None),
        ReadItem("gone.md:1-4", None, "No indexed document is named 'gone.md'. Give a path.", "not_found"),
    )
)
LEFT_OUT = ReadManyResult(
    items=(ReadItem("docs/big.md", None, "Left out: it has 9,000 bytes.", "too_large"),)
)

OUTLINE = OutlineResult(
    root="uv",
    path="docs/guides/install-python.md",
    title="Installing Python",
    tokens=1500,
    nodes=(
        OutlineNode("", 0, (), (1, 4), 30, 1, (), "^k3f00000"),
        OutlineNode(
            "Installing Python",
            1,
            ("Installing Python",),
            (5, 11),
            120,
            1,
            (
                OutlineNode(
                    "Getting started",
                    2,
                    ("Installing Python", "Getting started"),
                    (12, 240),
                    1350,
                    3,
                    (),
                    "^k3f9a2c7",
                ),
            ),
            "^k3f11111",
        ),
    ),
)

PREVIEW = PreviewResult(
    front_matter={"title": "Installing Python", "tags": ["guide"], "draft": False},
    title="Installing Python",
    sections=(
        PreviewSection((), 0, None, (5, 8), 30),
        PreviewSection(("Installing Python",), 1, None, (9, 11), 120),
        PreviewSection(("Installing Python", "Getting started"), 2, 1, (12, 200), 790),
        PreviewSection(("Installing Python", "Getting started"), 2, 2, (201, 240), 1350),
    ),
    passages=(
        PreviewPassage(0, (5, 6), "Before \x1b[2J any heading 🐍."),
        PreviewPassage(2, (14, 14), "To install the latest Python version:"),
        PreviewPassage(2, (16, 18), "$ uv python install"),
        PreviewPassage(3, (201, 240), "The end."),
    ),
    links=(
        PreviewLink("../concepts/a.md#B", "docs/concepts/a.md", "B", 14, embed=False),
        PreviewLink("https://example.org/x.png", None, None, 201, embed=True),
    ),
    tags=("guide",),
    problems=(
        PreviewProblem("unclosed_fence", 230, "a code block is never closed"),
        PreviewProblem("invalid_bytes", None, "bytes that are not UTF-8 were replaced"),
    ),
)

EMPTY_PREVIEW = PreviewResult(None, "empty", (), (), (), (), ())

LISTING = ListResult(
    documents=(
        DocumentRow("notes", "a b.md", "Zoë's notes", 1, 9, 1_700_000_000.0),
        DocumentRow("uv", "docs/index.md", "uv", 12, 1500, 1_700_000_000.0, "2023-11-14"),
    ),
    state=STATE,
)

ROOT = RootInfo(
    name="uv",
    path="/src/uv/docs",
    state="ready",
    documents=202,
    sections=2422,
    passages=9320,
    embedded=9320,
    pending_files=0,
    problems=(),
    problem_count=0,
    chunk_mode="auto",
    detail=None,
    watch_mode="events",
    watches=17,
)

TROUBLED_ROOT = RootInfo(
    name="notes",
    path="/home/me/notes",
    state="embedding",
    documents=1,
    sections=1,
    passages=4000,
    embedded=1000,
    pending_files=12,
    problems=(
        ProblemRow("a.md", "front_matter", 3, "The front matter is no YAML."),
        ProblemRow("b.md", "unreadable", None, "Permission denied."),
    ),
    problem_count=7,
    chunk_mode="window",
    detail="a part of it is out of order",
    watch_mode="polling",
    watch_reason="it lies on a network file system (nfs4)",
)

EMPTY_ROOT = RootInfo("empty", "/src/empty", "empty", 0, 0, 0, 0, 0, (), 0, "auto", "no Markdown was found")

CHANGES = ChangesResult(
    changes=(
        ChangeRow(1_700_000_000_123, 1_700_000_000.5, "uv", "added", "docs/new.md", None),
        ChangeRow(1_700_000_000_124, 1_700_000_001.0, "uv", "renamed", "docs/b.md", "docs/a.md"),
        ChangeRow(1_700_000_000_125, 1_700_000_060.0, "notes", "removed", "zoë\n.md", None),
    ),
    tick=1_700_000_000_200,
    incomplete=("notes",),
)

STATUS = StatusResult(
    daemon=DaemonInfo(
        version="1.2.3",
        pid=4242,
        started_at=1_700_000_000.0,
        rss_bytes=143_200_000,
        instance="00c0ffee00c0ffee",
        interpreter="/venv/bin/python",
        socket="/run/user/1000/mdmem/mdmem.sock",
        log="/home/me/.local/state/mdmem/mdmemd.log",
    ),
    model=ModelInfo(
        name="all-MiniLM-L6-v2-int8",
        state="ready",
        dimensions=384,
        fingerprint="f00d",
        detail=None,
        computed=1000,
        from_cache=20,
        queued=3000,
        passages_per_second=251.7,
    ),
    roots=(TROUBLED_ROOT, ROOT),
    messages=("The list of roots was damaged and is kept as roots.damaged.",),
)

EVALUATION = EvalResult(
    mode="hybrid",
    limit=5,
    figures=(
        EvalFigures("hybrid", "all", 3, 0.5, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 0.55),
        EvalFigures("hybrid", "paraphrase", 1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        EvalFigures("grep", "all", 3, 0.25, 0.0, 1 / 3, 1 / 3, 1 / 3, 0.25),
    ),
    empty_wanted=2,
    empty_right=1,
    answers_known=2,
    answers_held=1,
    tokens=380.4,
    took_p50_ms=6.1,
    took_p95_ms=9.96,
    questions=(
        EvalQuestion(
            "q1", "install python", "keyword", 1, 1.0, True, True, ("a.md > A",), (), False, 5.1, 300, True
        ),
        EvalQuestion(
            "q2",
            "get \x1b[2J it",
            "paraphrase",
            None,
            0.0,
            True,
            False,
            ("docs/a.md > A > B",),
            (EvalSection("uv", "b.md", ("B", "C")), EvalSection("uv", "c.md", ())),
            None,
            6.1,
            400,
        ),
        EvalQuestion("q3", "why", "question", 2, 0.6, True, False, ("a.md",), (), None, 6.1, 400),
        EvalQuestion("q4", "NO_SUCH", "identifier", None, 0.0, False, False, (), (), None, 2.0, 300),
        EvalQuestion("q5", "whither", "question", None, 0.0, False, None, (), (), None, 2.0, 300),
    ),
    comparison=None,
    notes=(),
    pages_known=3,
    pages_held=2,
    tokens_median=390,
    tokens_p95=520,
    tokens_max=600,
)

COMPARED_EVALUATION = EvalResult(
    mode="keyword",
    limit=10,
    figures=(EvalFigures("keyword", "all", 1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),),
    empty_wanted=0,
    empty_right=0,
    answers_known=0,
    answers_held=0,
    tokens=300.0,
    took_p50_ms=5.0,
    took_p95_ms=5.0,
    questions=EVALUATION.questions[:1],
    comparison=EvalComparison(
        questions=2,
        unpaired=1,
        differences=(EvalDifference("MRR", 0.75, 1.0, 0.0, 0.5), EvalDifference("Hit@1", 0.5, 1.0, 0.0, 1.0)),
        changes=(EvalChange("q3", 1, None), EvalChange("q1", 2, 1)),
    ),
    notes=("only 1,000 of 4,000 passages are embedded",),
)

DRAFT = EvalDraftResult(golden='{"questions": [\n {"query": "install python", "checked": false}]}\n')

INDEXED = IndexResult(roots=(TROUBLED_ROOT, ROOT), file=None)
FREED = GcResult(files=12, bytes=34_500_000, memory_bytes=5_600_000)
EXPORTED = ExportResult("uv", "/tmp/uv.mdmem", 9_000_000, 202, 9320, 9300)
IMPORTED = ImportResult(root=ROOT)


RULES = RootShowResult(
    root=ROOT,
    exclude=("drafts", "*.tmp.md"),
    include=(),
    watch="auto",
    removed=(
        RemovedRow(
            "gitignore",
            "ignored by .gitignore:3 (build/)",
            ".gitignore",
            3,
            "build/",
            folders=2,
            files=0,
            examples=("build", "sub/build"),
        ),
        RemovedRow(
            "exclude",
            "excluded by drafts, a glob of the root",
            "",
            0,
            "drafts",
            folders=0,
            files=1,
            examples=("drafts.md",),
        ),
    ),
    ignore_files=("/src/uv/.gitignore", "/src/uv/docs/.mdmemignore"),
    unused_globs=("*.tmp.md",),
)

NO_RULES = RootShowResult(
    root=EMPTY_ROOT,
    exclude=(),
    include=("a.md",),
    watch="polling",
    removed=(),
    ignore_files=(),
    unused_globs=(),
)

WHY = WhyPathResult(
    path="/src/uv/docs/build/a.md",
    root="uv",
    relative="build/a.md",
    state="excluded",
    sentence="not indexed: ignored by .gitignore:3 (build/)",
    rule="gitignore",
    source=".gitignore",
    line=3,
    pattern="build/",
    indexed_at=None,
    modified_at=None,
    problems=(),
)

WHY_INDEXED = WhyPathResult(
    path="/src/uv/docs/a.md",
    root="uv",
    relative="a.md",
    state="indexed",
    sentence="indexed as it is now",
    rule="",
    source="",
    line=0,
    pattern="",
    indexed_at=1_700_000_100.0,
    modified_at=1_700_000_000.0,
    problems=(ProblemRow("a.md", "front_matter", 3, "The front matter is no YAML."),),
)

WHY_OUTSIDE = WhyPathResult(
    path="/elsewhere/a.md",
    root=None,
    relative="",
    state="outside",
    sentence="it lies in no registered root: mdmemctl root add FOLDER",
    rule="",
    source="",
    line=0,
    pattern="",
    indexed_at=None,
    modified_at=None,
    problems=(),
)
BUILT_IN_MODEL = ModelRow(
    name="all-MiniLM-L6-v2-int8",
    kind="embedder",
    state="ready",
    in_use=True,
    dimensions=384,
    tokens_max=256,
    size_bytes=23_160_127,
    licence="Apache-2.0",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    licence_note="",
    source="sentence-transformers/all-MiniLM-L6-v2",
    revision=None,
    folder="/data/models/all-MiniLM-L6-v2-int8",
    detail=None,
    files=(ModelFileRow("model.onnx", 22_928_619, "8199be6f" * 8),),
)

GEMMA = ModelRow(
    name="embeddinggemma",
    kind="embedder",
    state="absent",
    in_use=False,
    dimensions=768,
    tokens_max=512,
    size_bytes=217_568_394,
    licence="Gemma Terms of Use",
    licence_url="https://ai.google.dev/gemma/terms",
    licence_note="These terms are no open-source licence.",
    source="onnx-community/embeddinggemma-300m-ONNX",
    revision="5090578d9565bb06545b4552f76e6bc2c93e4a66",
    folder="/data/models/embeddinggemma@5090578d9565",
    detail=None,
    files=(
        ModelFileRow("onnx/model_q4.onnx", 519_322, "ad1dfee8" * 8),
        ModelFileRow("tokenizer.json", 20_323_312, "4dda02fa" * 8),
    ),
)

DAMAGED_MODEL = msgspec.structs.replace(
    GEMMA, state="damaged", detail="onnx/model_q4.onnx has 5 bytes instead of 519,322"
)

MODELS = ModelListResult(models=(BUILT_IN_MODEL, GEMMA))

DOWNLOADED_GEMMA = msgspec.structs.replace(GEMMA, state="ready")
GEMMA_IN_USE = msgspec.structs.replace(GEMMA, state="ready", in_use=True)
