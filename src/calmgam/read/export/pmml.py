"""The program as PMML 4.4: tables as derived fields, chosen by tests, added up by a regression."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from calmgam.model.glassbox import Model
from calmgam.read.export.program import Branch, Lookup, Program

NAMESPACE = "http://www.dmg.org/PMML-4_4"
OFFSET, TARGET = "offset", "prediction"
NORMALIZATION = {"identity": "none", "log": "exp", "logit": "logit", "softmax": "softmax"}


def to_pmml(model: Model, offset: bool = False) -> str:
    """Write a model as PMML 4.4.

    Parameters
    ----------
    model : Model
    offset : bool
        There is one more field, ``offset``, which is added to the score.

    Returns
    -------
    str
        Labels are strings; missing values are missing. Beside prediction or probabilities the
        fields ``score`` and ``contribution(…)`` are output, of several classes one for each.
    """
    if offset and model.link == "softmax":
        raise ValueError("a model of several classes takes no offset")
    return _Writer(Program.of(model), offset).text()


@dataclass(frozen=True)
class _Writer:
    program: Program
    offset: bool

    def text(self) -> str:
        """Write the document."""
        for column in self.program.inputs:
            _check(column.name)
            for label in column.labels:
                _check(label)
        root = Element("PMML", xmlns=NAMESPACE, version="4.4")
        header = SubElement(root, "Header")
        SubElement(header, "Application", name="calmgam")
        self._dictionary(SubElement(root, "DataDictionary"))
        derived = SubElement(root, "TransformationDictionary")
        for lookup in self.program.lookups:
            for k in range(self.program.n_outputs):
                self._derive(derived, lookup, k)
        for k in range(self.program.n_outputs):
            total = _apply(_field(derived, f"{self._prefix}z{k}"), "sum")
            _constant(total, self.program.intercepts[k])
            for lookup in self.program.lookups:
                SubElement(total, "FieldRef", field=self._part(lookup, k))
            if self.offset:
                SubElement(total, "FieldRef", field=OFFSET)
        self._regression(root)
        indent(root)
        return tostring(root, encoding="unicode", xml_declaration=True) + "\n"

    @property
    def _prefix(self) -> str:
        prefix = "calmgam_"
        while any(column.name.startswith(prefix) for column in self.program.inputs):
            prefix += "_"
        return prefix

    def _part(self, lookup: Lookup, k: int) -> str:
        return f"{self._prefix}c{lookup.input}_{k}"

    def _dictionary(self, dictionary: Element) -> None:
        for column in self.program.inputs:
            kind, data = (
                ("continuous", "double") if column.is_numeric else ("categorical", "string")
            )
            SubElement(dictionary, "DataField", name=column.name, optype=kind, dataType=data)
        if self.offset:
            SubElement(dictionary, "DataField", name=OFFSET, optype="continuous", dataType="double")
        target = {"name": f"{self._prefix}{TARGET}"}
        if self.program.classes:
            field = SubElement(
                dictionary, "DataField", target, optype="categorical", dataType="string"
            )
            for label in self.program.classes:
                SubElement(field, "Value", value=_check(str(label)))
        else:
            SubElement(dictionary, "DataField", target, optype="continuous", dataType="double")

    def _derive(self, derived: Element, lookup: Lookup, k: int) -> None:
        """Derive what a column adds to an output: a table for every leaf, then the choice."""
        names = [f"{self._part(lookup, k)}_{leaf}" for leaf in range(len(lookup.rules))]
        names = names if len(names) > 1 else [self._part(lookup, k)]
        for leaf, name in enumerate(names):
            values = lookup.values[leaf, :, k].tolist()
            if self.program.inputs[lookup.input].is_numeric:
                self._discretize(_field(derived, name), lookup, values)
            else:
                self._map(_field(derived, name), lookup, values)
        if len(names) > 1:
            self._choose(_field(derived, self._part(lookup, k)), lookup, 0, names)

    def _discretize(self, parent: Element, lookup: Lookup, values: list[float]) -> None:
        name = self.program.inputs[lookup.input].name
        *bins, missing = values
        if len(bins) == 1:
            choice = _apply(parent, "if")
            SubElement(_apply(choice, "isMissing"), "FieldRef", field=name)
            _constant(choice, missing)
            _constant(choice, bins[0])
            return
        table = SubElement(
            parent, "Discretize", field=name, dataType="double", mapMissingTo=repr(missing)
        )
        ends = [-math.inf, *lookup.edges.tolist(), math.inf]
        for low, high, value in zip(ends, ends[1:], bins, strict=False):
            cell = SubElement(table, "DiscretizeBin", binValue=repr(value))
            margins = {"leftMargin": low, "rightMargin": high}
            finite = {key: repr(end) for key, end in margins.items() if math.isfinite(end)}
            closure = "openClosed" if math.isfinite(high) else "openOpen"
            SubElement(cell, "Interval", finite, closure=closure)

    def _map(self, parent: Element, lookup: Lookup, values: list[float]) -> None:
        column = self.program.inputs[lookup.input]
        *known, other, missing = values
        table = SubElement(
            parent,
            "MapValues",
            outputColumn="value",
            dataType="double",
            defaultValue=repr(other),
            mapMissingTo=repr(missing),
        )
        SubElement(table, "FieldColumnPair", field=column.name, column="label")
        rows = SubElement(table, "InlineTable")
        for label, value in zip(column.labels, known, strict=True):
            row = SubElement(rows, "row")
            SubElement(row, "label").text = label
            SubElement(row, "value").text = repr(value)

    def _choose(self, parent: Element, lookup: Lookup, index: int, names: list[str]) -> None:
        branch = lookup.branches[index]
        if branch.is_leaf:
            SubElement(parent, "FieldRef", field=names[branch.leaf])
            return
        choice = _apply(parent, "if")
        self._test(choice, branch)
        self._choose(choice, lookup, branch.yes, names)
        self._choose(choice, lookup, branch.no, names)

    def _test(self, parent: Element, branch: Branch) -> None:
        column = self.program.inputs[branch.input]
        test = _apply(parent, "if")
        SubElement(_apply(test, "isMissing"), "FieldRef", field=column.name)
        _flag(test, branch.missing)
        if not column.is_numeric:
            codes = {c for a, b in branch.inside for c in range(int(a) + 1, int(b) + 1)}
            inverse = len(column.labels) in codes
            texts = [x for k, x in enumerate(column.labels) if (k in codes) != inverse]
            if not texts:
                _flag(test, inverse)
                return
            inside = _apply(test, "isNotIn" if inverse else "isIn")
            SubElement(inside, "FieldRef", field=column.name)
            for text in texts:
                SubElement(inside, "Constant", dataType="string").text = text
            return
        if not branch.inside:
            _flag(test, False)
            return
        parts = _apply(test, "or") if len(branch.inside) > 1 else test
        for low, high in branch.inside:
            ends = [("greaterThan", low), ("lessOrEqual", high)]
            ends = [(function, end) for function, end in ends if math.isfinite(end)]
            if not ends:
                _flag(parts, True)
            both = _apply(parts, "and") if len(ends) > 1 else parts
            for function, end in ends:
                compared = _apply(both, function)
                SubElement(compared, "FieldRef", field=column.name)
                _constant(compared, end)

    def _regression(self, root: Element) -> None:
        program = self.program
        regression = SubElement(
            root,
            "RegressionModel",
            functionName="classification" if program.classes else "regression",
            normalizationMethod=NORMALIZATION[program.link],
        )
        schema = SubElement(regression, "MiningSchema")
        target = f"{self._prefix}{TARGET}"
        SubElement(schema, "MiningField", name=target, usageType="target")
        for column in program.inputs:
            SubElement(schema, "MiningField", name=column.name, invalidValueTreatment="asIs")
        if self.offset:
            SubElement(schema, "MiningField", name=OFFSET)
        self._outputs(SubElement(regression, "Output"))
        labels = list(map(str, program.classes))
        if program.link == "logit":
            self._table(regression, 0, labels[1])
            SubElement(regression, "RegressionTable", intercept="0.0", targetCategory=labels[0])
        else:
            for k in range(program.n_outputs):
                self._table(regression, k, labels[k] if labels else None)

    def _table(self, regression: Element, k: int, label: str | None) -> None:
        target = {} if label is None else {"targetCategory": label}
        table = SubElement(regression, "RegressionTable", target, intercept="0.0")
        SubElement(table, "NumericPredictor", name=f"{self._prefix}z{k}", coefficient="1.0")

    def _outputs(self, outputs: Element) -> None:
        program = self.program
        common: dict[str, Any] = {"optype": "continuous", "dataType": "double"}
        if program.classes:
            label = {"optype": "categorical", "dataType": "string"}
            SubElement(outputs, "OutputField", label, name=TARGET, feature="predictedValue")
            for one in map(str, program.classes):
                made = common | {"name": f"probability({one})", "value": one}
                SubElement(outputs, "OutputField", made, feature="probability")
        else:
            SubElement(outputs, "OutputField", common, name=TARGET, feature="predictedValue")
        many = program.n_outputs > 1
        for k in range(program.n_outputs):
            end = f"({program.classes[k]})" if many else ""
            self._transformed(outputs, f"score{end}", f"{self._prefix}z{k}")
            for lookup in program.lookups:
                name = f"contribution({program.inputs[lookup.input].name}){end}"
                self._transformed(outputs, name, self._part(lookup, k))

    def _transformed(self, outputs: Element, name: str, source: str) -> None:
        field = SubElement(
            outputs,
            "OutputField",
            name=name,
            optype="continuous",
            dataType="double",
            feature="transformedValue",
        )
        SubElement(field, "FieldRef", field=source)


def _field(parent: Element, name: str) -> Element:
    return SubElement(parent, "DerivedField", name=name, optype="continuous", dataType="double")


def _apply(parent: Element, function: str) -> Element:
    return SubElement(parent, "Apply", function=function)


def _constant(parent: Element, value: float) -> None:
    SubElement(parent, "Constant", dataType="double").text = repr(value)


def _flag(parent: Element, value: bool) -> None:
    SubElement(parent, "Constant", dataType="boolean").text = str(value).lower()


def _check(text: str) -> str:
    """Refuse texts that XML cannot hold."""
    for sign in text:
        if (
            (ord(sign) < 32 and sign not in "\t\n\r")
            or "\ud800" <= sign <= "\udfff"
            or sign in "\ufffe\uffff"
        ):
            raise ValueError(f"a text in PMML must be one that XML can hold; got {text!r}")
    return text
