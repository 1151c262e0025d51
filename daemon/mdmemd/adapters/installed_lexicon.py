"""The Chinese lexicon of this installation, made ready when the first Chinese text comes.

Its dictionary comes with a package; reading that takes a second, so the finished lexicon is kept in the cache
folder (1.6 MB) and read from there in a millisecond. Format of the blob: 32 bytes SHA-256 of the identity
and of what follows, then the lexicon's image. The identity, which is hashed and not stored, is the
dictionary's hash, the version of the glosses and the trie's order of bytes: a blob of another installation
and a damaged one are alike not there. Any thread; the first to ask does the work, others wait for it.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
import logging
import sys
import threading
from collections.abc import Sequence

from mdmemd.embed.registry import CHINESE_DICTIONARY
from mdmemd.errors import ModelUnavailableError
from mdmemd.ports import BlobStore
from mdmemd.text.cedict import glosses
from mdmemd.text.lexicon import GLOSS_VERSION, Lexicon, is_chinese

log = logging.getLogger(__name__)

BLOB = "chinese.lexicon"

_DIGEST_BYTES = hashlib.sha256().digest_size


class InstalledLexicon:
    """A ``Lexicon``'s two methods. ``cache`` keeps the finished one.

    They raise ``ModelUnavailableError`` where a text is Chinese and the dictionary missing or damaged.
    """

    def __init__(self, cache: BlobStore) -> None:
        self._cache = cache
        self._lock = threading.Lock()
        self._lexicon: Lexicon | None = None

    def words(self, text: str) -> Sequence[Sequence[str]]:
        """As ``Lexicon.words``."""
        return self._ready().words(text) if is_chinese(text) else []

    def gloss(self, text: str) -> str:
        """As ``Lexicon.gloss``."""
        return self._ready().gloss(text) if is_chinese(text) else text

    def _ready(self) -> Lexicon:
        if self._lexicon is None:
            with self._lock:
                if self._lexicon is None:
                    self._lexicon = self._kept() or self._made()
        return self._lexicon

    def _kept(self) -> Lexicon | None:
        try:
            content = self._cache.read(BLOB)
        except OSError:
            return None  # it is made from the dictionary then, which costs a second and nothing else
        image = content[_DIGEST_BYTES:]
        return Lexicon.from_image(image) if content[:_DIGEST_BYTES] == _digest(image) else None

    def _made(self) -> Lexicon:
        lexicon = Lexicon.of(glosses(gzip.decompress(_dictionary()).decode("utf-8").splitlines()))
        image = lexicon.image
        try:
            self._cache.replace(BLOB, _digest(image) + image)
        except OSError as error:
            log.warning("the Chinese lexicon could not be kept and is made again at each start: %s", error)
        return lexicon


def _digest(image: bytes) -> bytes:
    identity = f"{CHINESE_DICTIONARY.sha256} {GLOSS_VERSION} {sys.byteorder}\0"
    return hashlib.sha256(identity.encode() + image).digest()


def _dictionary() -> bytes:
    package = CHINESE_DICTIONARY.package
    assert package is not None, "the dictionary comes with a package"
    try:
        content = importlib.resources.files(package.name).joinpath(CHINESE_DICTIONARY.path).read_bytes()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    except ModuleNotFoundError:
        problem = f"is missing: the package {package.name} is not installed"
    else:
        if hashlib.sha256(content).hexdigest() == CHINESE_DICTIONARY.sha256:
            return content
        problem = "has not the right content"
    raise ModelUnavailableError(
        f"The Chinese dictionary {problem}.",
        remedy=package.reinstall,
    )
