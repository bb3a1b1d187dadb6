"""Tables that a query selects, through any DB-API or SQLAlchemy connection, or DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparsest._core.errors import DataError

if TYPE_CHECKING:
    import polars


def read_query(query: str, connection: Any) -> polars.DataFrame:
    """The rows that a query selects; what the database has to say about it comes first."""
    import polars

    try:
        if hasattr(connection, "sql"):  # DuckDB: its cursors do not see what was registered
            relation = connection.sql(query)
            return polars.DataFrame(relation.fetchall(), schema=relation.columns, orient="row", strict=False)
        if hasattr(connection, "cursor"):
            return _through_cursor(query, connection)
        return polars.read_database(query, connection)
    except Exception as error:  # whatever the database raises
        words = " ".join(str(error).split())[:300]
        raise DataError(f"the query cannot be read: {words}") from None


def _through_cursor(query: str, connection: Any) -> polars.DataFrame:
    """The DB-API's way, which needs nothing but the connection."""
    import polars

    cursor = connection.cursor()
    try:
        cursor.execute(query)
        names = [column[0] for column in cursor.description or ()]
        rows = [tuple(row) for row in cursor.fetchall()]
    finally:
        cursor.close()
    return polars.DataFrame(rows, schema=names, orient="row", infer_schema_length=None, strict=False)
