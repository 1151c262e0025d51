"""The questions that were asked, kept on this machine for drafts of golden sets.

User data in the data folder, bounded to ``QUESTIONS_KEPT`` different questions, written by replacing the file
at most once in ``WRITE_SECONDS`` and at the stop: a crash may lose the last minute, never the file. Where
questions are not to be kept, none is, and what an earlier setting kept is emptied at the start. A file that
cannot be read counts as empty, and one that cannot be written is logged: no question fails for it.

Format (``questions.json``, ASCII): ``{"format": 1, "questions": [text, ...]}``, the latest last.

Called on the query pool by several threads; a lock guards the list, and is not held during a write.
"""

from __future__ import annotations

import json
import logging
import threading

from mdmemd.ports import BlobStore, Clock

log = logging.getLogger(__name__)

FORMAT = 1
NAME = "questions.json"
QUESTIONS_KEPT = 500
QUESTION_CHARS_MAX = 1000
"""A longer text is a pasted log, which belongs in no golden set."""

WRITE_SECONDS = 60.0


class QuestionLog:
    """The latest questions. ``is_on`` tells whether questions are kept."""

    def __init__(self, blobs: BlobStore, clock: Clock, *, is_on: bool) -> None:
        self.is_on = is_on
        self._blobs = blobs
        self._clock = clock
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._questions: dict[str, None] = {}
        self._is_saved = True
        self._saved_at = clock.monotonic()

    @classmethod
    def load(cls, blobs: BlobStore, clock: Clock, *, is_on: bool) -> QuestionLog:
        """Take up what an earlier run kept, or empty it where questions are not to be kept."""
        made = cls(blobs, clock, is_on=is_on)
        kept = _kept(blobs)
        if is_on:
            made._questions = dict.fromkeys(kept[-QUESTIONS_KEPT:])
        elif kept:
            made._is_saved = False
            made.save()
        return made

    def add(self, query: str) -> None:
        """Keep a question, as the latest; the same text is kept once."""
        text = " ".join(query.split())
        if not self.is_on or not text or len(text) > QUESTION_CHARS_MAX:
            return
        with self._lock:
            self._questions.pop(text, None)
            self._questions[text] = None
            if len(self._questions) > QUESTIONS_KEPT:
                del self._questions[next(iter(self._questions))]
            self._is_saved = False
            is_due = self._clock.monotonic() - self._saved_at >= WRITE_SECONDS
        if is_due:
            self.save()

    def latest(self, count: int) -> tuple[str, ...]:
        """The latest questions, latest first."""
        with self._lock:
            return tuple(reversed(self._questions))[:count]

    def save(self) -> None:
        """Write what is not written yet; one that is being written is not written twice."""
        if not self._writing.acquire(blocking=False):
            return
        try:
            with self._lock:
                if self._is_saved:
                    return
                document = {"format": FORMAT, "questions": list(self._questions)}
                self._is_saved = True
                self._saved_at = self._clock.monotonic()
            self._blobs.replace(NAME, json.dumps(document, indent=0).encode() + b"\n")
        except OSError as error:
            log.warning("%s cannot be written: %s", NAME, error)
        finally:
            self._writing.release()


def _kept(blobs: BlobStore) -> list[str]:
    try:
        document = json.loads(blobs.read(NAME))
        return [text for text in document["questions"] if isinstance(text, str)]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("%s cannot be read (%s): it counts as empty", NAME, error)
        return []
