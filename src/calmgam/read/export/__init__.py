"""Models in other languages: one program, printed by every exporter."""

from calmgam.read.export.c import to_c
from calmgam.read.export.javascript import to_javascript
from calmgam.read.export.onnx import to_onnx
from calmgam.read.export.pmml import to_pmml
from calmgam.read.export.python import to_python
from calmgam.read.export.sql.query import to_sql
from calmgam.read.export.table import to_table

__all__ = ["to_c", "to_javascript", "to_onnx", "to_pmml", "to_python", "to_sql", "to_table"]
