"""Finished resamples in a store: stopped at any moment, the same call continues where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsest._core.errors import DataError
from sparsest._core.progress import Status
from sparsest._core.store import Agenda, Record, Store, key_of

if TYPE_CHECKING:
    from sparsest.confidence.resampling import Learned

_KIND = "resample"
_NAMED = {
    "outline": "another table",
    "table": "another table",
    "how": "another kind of resamples",
    "units": "other groups, blocks or seeds",
    "knowledge": "other background knowledge",
    "settings": "other options",
}


class Keeper:
    """Keeps resamples as they are finished; without a store it keeps nothing."""

    def __init__(self, store: Store | None, identity: Mapping[str, Any] | None = None) -> None:
        self._store = store
        self._identity: Mapping[str, Any] = {} if identity is None else identity

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Keeper]:
        """A keeper of a file, which is made if there is none."""
        with Store(path) as store:
            yield cls(store)

    def of(self, identity: Mapping[str, Any]) -> Keeper:
        """A keeper of the resamples of one table under one model and with some options."""
        return Keeper(self._store, identity)

    def begin(self, resamples: int) -> dict[int, Learned]:
        """The finished resamples of this table and these options, by number."""
        from sparsest.confidence.resampling import Learned

        if self._store is None:
            return {}
        identity = self._identity
        model = str(identity["settings"]["model"])
        self._refuse_another(model, identity)
        keys = tuple(self._key(number) for number in range(resamples))
        agenda = Agenda(_KIND, model, dict(identity), "sparsest.confidence", keys)
        self._store.put_agenda(agenda, {})
        try:
            return {
                (number := int(record.spec["number"])): Learned(
                    number, _unpacked(record.row), int(record.row["redrawn"]), Status(record.row["status"])
                )
                for record in self._store.records(agenda)
            }
        except (LookupError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"the store {str(self._store.path)!r} is damaged (a resample in it cannot be read): use "
                "another one, or delete it"
            ) from None

    def keep(self, learned: Learned) -> None:
        """Write a finished resample at once."""
        if self._store is None:
            return
        row = _packed(learned.essential) | {"redrawn": learned.redrawn, "status": learned.status.value}
        self._store.put(Record(self._key(learned.number), _KIND, self._spec(learned.number), row=row))

    def _refuse_another(self, model: str, identity: Mapping[str, Any]) -> None:
        """Refuse a store that was begun with other data or options."""
        if self._store is None:
            return
        held = [self._store.agenda(name, scale) for name, scale in self._store.agenda_names()]
        foreign = [one for one in held if one is not None and one.name != _KIND]
        if foreign:
            raise DataError(
                f"{str(self._store.path)!r} is a store of experiments: pass another file as store"
            )
        # Models see a table in forms of their own, such as ranks: across models only its outline counts.
        for agenda in held:
            own = agenda is not None and agenda.scale == model
            compared = _NAMED if own else ("outline", "how", "units", "knowledge")
            apart = [
                key for key in compared if agenda is not None and agenda.content.get(key) != identity[key]
            ]
            if apart:
                raise DataError(
                    f"the store {str(self._store.path)!r} was begun with {_NAMED[apart[0]]}: pass another "
                    "file as store, or delete it"
                )

    def _spec(self, number: int) -> dict[str, Any]:
        return {**self._identity, "number": number}

    def _key(self, number: int) -> str:
        return key_of(_KIND, self._spec(number))


def digest_of(part: Any) -> str:
    """A digest of the numbers and names behind a prepared table, or of masks."""
    digest = hashlib.sha256()
    for array in _arrays(part):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(getattr(part, "names", ())).encode())
    return digest.hexdigest()


def _arrays(part: Any) -> Iterator[Any]:
    table = getattr(part, "audited", None)
    if table is not None:
        yield table.values
        if table.weights is not None:
            yield table.weights
    elif (moments := getattr(part, "moments", None)) is not None:
        yield moments.covariance
        yield np.array([moments.n])
    else:
        yield from (part.allowed, part.required)


def _packed(essential: Any) -> dict[str, Any]:
    return {"p": len(essential), "class": np.packbits(essential).tobytes().hex()}


def _unpacked(row: Mapping[str, Any]) -> Any:
    p = int(row["p"])
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(row["class"]), dtype=np.uint8), count=p * p)
    return bits.reshape(p, p).astype(bool)
