"""The attributes of a segment's documents to columns and back: the end of a segment's piece. Pure.

Columns, in order (d documents, t texts of a map, n documents of its texts; ``columns`` has the types):

===============  =====  ==========================================================================
paths            texts  d, as ``Attributes.paths``
by path          <i4    d
days             <i4    d
modified         <i8    d
kinds            |u1    d positions in ``attributes.KINDS``, whose order is therefore fixed
five maps               tags, properties, links, notes, names; each of three columns:
- texts          texts  t, ascending
- runs           <i8    t + 1
- documents      <i4    n
===============  =====  ==========================================================================
"""

from __future__ import annotations

from mdmemd.index.attributes import Attributes
from mdmemd.index.text_map import TextMap
from mdmemd.store.columns import ColumnReader, ColumnWriter


def write_attributes(writer: ColumnWriter, attributes: Attributes) -> None:
    """Append the columns."""
    writer.texts(attributes.paths)
    writer.array("<i4", attributes.by_path)
    writer.array("<i4", attributes.days)
    writer.array("<i8", attributes.modified_ns)
    writer.array("|u1", attributes.kinds)
    maps = (attributes.tags, attributes.properties, attributes.links, attributes.notes, attributes.names)
    for each in maps:
        writer.texts(each.texts)
        writer.array("<i8", each.starts)
        writer.array("<i4", each.documents)


def read_attributes(reader: ColumnReader, *, documents: int) -> Attributes:
    """Take the columns of so many documents. Raises ``PieceError``."""
    return Attributes(
        paths=tuple(reader.texts()),
        by_path=reader.array("<i4", documents),
        days=reader.array("<i4", documents),
        modified_ns=reader.array("<i8", documents),
        kinds=reader.array("|u1", documents),
        tags=_read_map(reader),
        properties=_read_map(reader),
        links=_read_map(reader),
        notes=_read_map(reader),
        names=_read_map(reader),
    )


def _read_map(reader: ColumnReader) -> TextMap:
    texts = tuple(reader.texts())
    starts = reader.array("<i8", len(texts) + 1)
    return TextMap(texts, starts, reader.array("<i4", int(starts[-1])))
