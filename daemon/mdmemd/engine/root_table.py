"""The roots that the writer works on: which there are, who of them answers, sleeps, or is made anew.

Invariants: a root that sleeps has only its last view; of the two indexes of a root that is rebuilt
(``rebuild``) the old one answers and both are worked on; what comes back for a root (hints, vectors, parsed
files) finds it by the id under which it was sent out. Touched by the writer's thread only; posts to the
writer's inbox what comes back on other threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from mdmemd.embed.queue import Delivery, EmbedQueue
from mdmemd.embed.queue import Ticket as EmbedTicket
from mdmemd.engine.events import Embedded, FileRead, ModelReady, WriterEvent
from mdmemd.engine.file_reading import FileToRead, Outcome
from mdmemd.engine.hibernation import asleep_view
from mdmemd.engine.journal import Journal, Journals
from mdmemd.engine.large_files import LargeFiles
from mdmemd.engine.model_change import ModelChange
from mdmemd.engine.rebuild import Rebuilds
from mdmemd.engine.restore import Restored
from mdmemd.engine.root_work import RootWork
from mdmemd.engine.state import RootView, State
from mdmemd.engine.watching import Watching
from mdmemd.index.root_index import RootIndex
from mdmemd.index.snapshot import Revision
from mdmemd.model import RootId, RootSpec, Tick, UnembeddedPassage
from mdmemd.ports import Clock, FileSystem, Hint


@dataclass(frozen=True, slots=True)
class RootTools:
    """What is needed to work on roots.

    ``dimensions`` tells those of the chosen model's vectors; ``switched`` hears that all roots are
    about to have those of the model to come.
    """

    files: FileSystem
    clock: Clock
    state: State
    embedder: EmbedQueue
    large: LargeFiles
    restore: Callable[[RootSpec], Restored]
    dimensions: Callable[[], int]
    switched: Callable[[], None]
    watching: Watching
    journals: Journals


class RootTable:
    """See the module. ``post`` and ``hint`` are called on other threads too."""

    def __init__(
        self, tools: RootTools, *, post: Callable[[WriterEvent], None], hint: Callable[[RootId, Hint], None]
    ) -> None:
        self._tools = tools
        self._post = post
        self._hint = hint
        self._empty = RootIndex(dimensions=tools.dimensions()).freeze()
        self._model: ModelReady | None = None
        self._change: ModelChange | None = None
        self._changed_to = ""
        self._roots: dict[RootId, RootWork] = {}
        self._asleep: dict[RootId, RootView] = {}
        self._rebuilds = Rebuilds(tools.clock)
        self._embedding: dict[RootId, list[EmbedTicket]] = {}

    def __iter__(self) -> Iterator[RootWork]:
        """All that is to be worked on, indexes that are made anew included."""
        return iter(tuple(self._roots.values()))

    def get(self, root_id: RootId) -> RootWork | None:
        """The root to which something was sent out under this id, unless it sleeps or is removed."""
        return self._roots.get(self._rebuilds.resolve(root_id))

    def views(self) -> dict[str, RootView]:
        """What everybody else may see, by name."""
        views = {view.spec.name: view for view in self._asleep.values()}
        for work in self._visible():
            new = self._rebuilds.new_index(work.root_id)
            views[work.spec.name] = replace(work.view(), rebuilt=new.view()) if new else work.view()
        return views

    def _visible(self) -> Iterator[RootWork]:
        """The roots that answer."""
        return (work for work in self if not self._rebuilds.is_hidden(work))

    # --- their life -----------------------------------------------------------------------------------------

    def add(self, root_id: RootId, spec: RootSpec) -> None:
        """Begin with a root: what was saved of it answers before any root is walked."""
        tools = self._tools
        journal = tools.journals.begin(
            spec.name, since=tools.state.current.tick, since_time=tools.clock.time()
        )
        self._begin(self._root(root_id, spec, tools.restore(spec), journal=journal))
        self._renest()
        tools.state.publish(self.views())

    def change(self, root_id: RootId, spec: RootSpec) -> None:
        """Go on with another spec of the same folder.

        The index stays but where its files are cut or watched in another way: then the root begins anew.
        """
        root, asleep = self._roots.get(root_id), self._asleep.pop(root_id, None)
        before = root.spec if root else asleep.spec if asleep else spec
        if before.name != spec.name:
            self._tools.journals.rename(before.name, spec.name)
        if root is None or (before.chunk_mode, before.watch) != (spec.chunk_mode, spec.watch):
            self._drop_rebuild(root_id)
            self._drop(root_id)
            self.add(root_id, spec)
            return
        for work in (root, self._rebuilds.new_index(root_id)):
            if work is not None:
                work.use_spec(spec)
        self._renest()

    def remove(self, root_id: RootId) -> None:
        """Forget a root and its memory."""
        asleep = self._asleep.pop(root_id, None)
        self._drop_rebuild(root_id)
        if ended := self._drop(root_id) or asleep:
            self._tools.journals.end(ended.spec.name)
        self._renest()

    def find(self, name: str) -> RootWork | None:
        """The root of that name, woken if it sleeps."""
        for root in self._visible():
            if root.spec.name == name:
                return root
        for root_id, view in self._asleep.items():
            if view.spec.name == name:
                del self._asleep[root_id]
                self.add(root_id, view.spec)
                return self._roots[root_id]
        return None

    def put_to_sleep(self, name: str, revision: Revision) -> None:
        """Free the memory of a root if it is still as at ``revision`` and nobody waits for it."""
        root = next((root for root in self._visible() if root.spec.name == name), None)
        if root is None or root.root_id in self._rebuilds:
            return
        if root.is_at_rest and root.index.freeze().revision == revision:
            self._drop(root.root_id)
            self._asleep[root.root_id] = asleep_view(root.view(), self._empty)

    def use_model(self, model: ModelReady) -> None:
        """The encoder of all vectors that come back from now on."""
        is_other = self._model not in (None, model)
        self._model = model
        for root in self:
            if self._change is not None and self._rebuilds.is_hidden(root):
                continue  # it gets the vectors of the model to come
            is_new_to_it = is_other and root.vectors.made_by != model.fingerprint
            root.use_model(model.fingerprint, dimensions=model.dimensions)
            tickets = self._embedding[root.root_id]
            # What the old model failed at or was not asked any more would be waited for, for ever.
            if is_new_to_it or any(ticket.was_dropped for ticket in tickets):
                for ticket in tickets:
                    ticket.cancel()
                root.vectors.want_again()

    def _begin(self, root: RootWork, model: ModelReady | None = None) -> None:
        """Begin with a root whose vectors are to be those of ``model``, else of the one in use."""
        self._roots[root.root_id] = root
        self._embedding[root.root_id] = []
        if model := model or self._model:
            root.use_model(model.fingerprint, dimensions=model.dimensions)

    def _root(self, root_id: RootId, spec: RootSpec, restored: Restored, *, journal: Journal) -> RootWork:
        def deliver(wanted: FileToRead, outcome: Outcome) -> None:
            self._post(FileRead(root_id, wanted, outcome))

        def notify(hint: Hint) -> None:
            self._hint(root_id, hint)

        tools = self._tools
        return RootWork(
            root_id,
            spec,
            index=restored.index,
            files=tools.files,
            clock=tools.clock,
            watch=tools.watching.open(spec, notify),
            large=tools.large,
            deliver=deliver,
            journal=journal,
            next_tick=lambda: Tick(tools.state.current.tick + 1),
            reconcile_seconds=tools.watching.reconcile_seconds,
            rules=tools.watching.rules,
            vectors_by=restored.vectors_by,
        )

    def _drop(self, root_id: RootId) -> RootWork | None:
        """End the work on a root or a new index."""
        root = self._roots.pop(root_id, None)
        if root is not None:
            for ticket in self._embedding.pop(root_id):
                ticket.cancel()
            root.end()
        return root

    def _renest(self) -> None:
        """Give each root the folders inside it that are roots of their own."""
        specs = [*(view.spec for view in self._asleep.values()), *(r.spec for r in self._roots.values())]
        for root in self:
            inside = root.spec.path.rstrip("/") + "/"
            nested = [spec.path.removeprefix(inside) for spec in specs if spec.path.startswith(inside)]
            around = [spec for spec in specs if root.spec.path.startswith(spec.path.rstrip("/") + "/")]
            nearest = max(around, key=lambda spec: len(spec.path), default=None)
            root.set_nesting(nested=nested, nested_in=nearest.name if nearest else None)

    # --- second indexes -------------------------------------------------------------------------------------

    def begin_rebuild(self, root: RootWork) -> None:
        """Begin again where a rebuild is under way: whoever asks may have changed something meanwhile."""
        self._drop_rebuild(root.root_id)
        tools = self._tools
        model = self._change.model if self._change is not None else None
        dimensions = model.dimensions if model is not None else tools.dimensions()
        new = self._root(
            self._rebuilds.next_id(),
            root.spec,
            Restored(RootIndex(dimensions=dimensions), ""),
            journal=Journal(since=tools.state.current.tick, since_time=tools.clock.time()),
        )
        self._begin(new, model)
        self._rebuilds.begin(root, new)
        self._renest()

    def end_rebuilds(self) -> bool:
        """Have new indexes that are complete answer, give up those that cannot be made; were there any?

        Those of a change of model answer when all are complete.
        """
        has_ended = False
        if self._change is not None:
            for root in tuple(self._visible()):
                if root.root_id not in self._rebuilds and self._change.needs(root):
                    self.begin_rebuild(root)
        for rebuild in self._rebuilds:
            if rebuild.has_failed:
                self._drop_rebuild(rebuild.old.root_id)
                if self._change is not None:
                    self._change.leave_behind(rebuild.old.root_id)
                has_ended = True
        will_come = self._tools.embedder.state().failure is None
        complete = [each for each in self._rebuilds if each.is_complete(vectors_will_come=will_come)]
        if self._change is not None and len(complete) < len(tuple(self._rebuilds)):
            return has_ended
        for rebuild in complete:
            self._switch(rebuild.old, rebuild.new)
        return self._end_change() or has_ended or bool(complete)

    def begin_change(self, model: ModelReady) -> None:
        """Make second indexes with vectors of another model, in place of any others that are being made."""
        self.cancel_change()
        for rebuild in self._rebuilds:
            self._drop_rebuild(rebuild.old.root_id)
        self._change = ModelChange(model)
        self._changed_to = model.fingerprint

    def cancel_change(self) -> None:
        """Give up the second indexes of a change of model."""
        change, self._change = self._change, None
        for rebuild in self._rebuilds if change is not None else ():
            if change is not None and change.made(rebuild):
                self._drop_rebuild(rebuild.old.root_id)

    def _end_change(self) -> bool:
        """All second indexes have taken over: the model to come is the one in use. Was there one?"""
        change, self._change = self._change, None
        if change is None:
            return False
        self._tools.switched()
        self.use_model(change.model)
        return True

    def _drop_rebuild(self, root_id: RootId) -> None:
        new = self._rebuilds.new_index(root_id)
        self._rebuilds.end(root_id)
        if new is not None:
            self._drop(new.root_id)

    def _switch(self, old: RootWork, new: RootWork) -> None:
        """Put the new index in the place of the old one; who waits for the old one, waits for it."""
        self._rebuilds.end(old.root_id)
        tickets = self._embedding.pop(new.root_id)
        del self._roots[new.root_id]
        waiting = old.take_waiting()
        self._drop(old.root_id)
        new.take_place(old)
        self._roots[new.root_id] = new
        self._embedding[new.root_id] = tickets
        for ticket in waiting:
            new.walk(ticket)

    # --- vectors --------------------------------------------------------------------------------------------

    def submit_texts(self) -> None:
        """Hand the embedder what roots want to have embedded now; edits come before all else there."""
        for root in self:
            bulk, is_later = root.take_bulk()
            for passages, urgent in ((bulk, is_later), (root.take_urgent(), True)):
                if passages:
                    self._embed(root.root_id, passages, urgent=urgent)

    def _embed(self, root_id: RootId, passages: list[UnembeddedPassage], *, urgent: bool) -> None:
        def deliver(delivery: Delivery) -> None:
            self._post(Embedded(root_id, delivery))

        root = self._roots[root_id]
        made_by = root.vectors.made_by
        tickets = [ticket for ticket in self._embedding[root_id] if not ticket.done]
        tickets.append(
            self._tools.embedder.submit(
                passages,
                urgent=urgent,
                deliver=deliver,
                owner=root.index.revision[0],
                made_by=made_by if made_by == self._changed_to else "",
            )
        )
        self._embedding[root_id] = tickets
