# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Turns the concurrent assertions of the RTL into ones that the proof tools read: states and clock edges in place of
`|->`, `|=>`, `$past` and `$stable`.

What a four-state simulation alone can see (`$isunknown`) and cover properties are left out. An assertion whose name is
given becomes an assumption: what the outside of a block promises.
"""

import re

STATEMENT = re.compile(r"(\w+) : (assert|assume|cover) property \(")
CLOCK = re.compile(r"@\(posedge (\w+)\)\s*")
PAST = re.compile(r"\$(past|stable)\(")


class NotUnderstood(Exception):
    """An assertion that is not understood."""


def closing(text, start):
    """Where the parenthesis that is open before `start` is closed."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise NotUnderstood(f"a parenthesis is not closed: {text[start : start + 60]}")


def split_at(text, operator):
    """The text before and behind an operator that is in no parenthesis; None where there is none."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(character, 0)
        if depth == 0 and text.startswith(operator, position):
            return text[:position].strip(), text[position + len(operator) :].strip()
    return None


class Translator:
    """Of one module."""

    def __init__(self, assumed):
        self.assumed = set(assumed)
        self.registers = 0
        self.asserted = []

    def register(self, value, clock, initial=None):
        """A register that follows a value: its name, and the text that declares it. Of one bit it is 0 in the reset."""
        self.registers += 1
        name = f"before_{self.registers}_q"
        if initial is None:
            text = f"  logic [$bits({value})-1:0] {name};\n  always_ff @(posedge {clock}) {name} <= {value};\n"
        else:
            text = f"  logic {name};\n  always_ff @(posedge {clock}) {name} <= {value};\n"
        return name, text

    def without_past(self, body, clock):
        """The body with registers in place of what was a cycle ago, and their text."""
        texts = ""
        while match := PAST.search(body):
            end = closing(body, match.end())
            value = body[match.end() : end]
            name, text = self.register(value, clock)
            texts += text
            new = name if match[1] == "past" else f"({value} == {name})"
            body = body[: match.start()] + new + body[end + 1 :]
        return body, texts

    def statement(self, label, kind, content):
        """The text in place of a statement with this content of its outer parenthesis."""
        clock = CLOCK.match(content)
        if clock is None:
            raise NotUnderstood(f"{label}: no clock")
        body, disable = " ".join(content[clock.end() :].split()), "1'b0"
        if body.startswith("disable iff ("):
            end = closing(body, len("disable iff ("))
            disable, body = body[len("disable iff (") : end], body[end + 1 :].strip()
        if kind == "cover" or "$isunknown" in body:
            return ""
        if "##" in body:
            raise NotUnderstood(f"{label}: ## is not understood")
        body, texts = self.without_past(body, clock[1])
        if parts := split_at(body, "|=>"):
            name, text = self.register(f"({parts[0]}) && !({disable})", clock[1], "1'b0")
            texts += text
            body = f"!{name} || ({parts[1]})"
        elif parts := split_at(body, "|->"):
            body = f"!({parts[0]}) || ({parts[1]})"
        if kind == "assert" and label in self.assumed:
            kind = "assume"
        self.asserted.append((label, kind))
        return f"{texts}  {label} : {kind} property (@(posedge {clock[1]}) disable iff ({disable}) {body});\n"

    def translate(self, text):
        """The module with the statements replaced."""
        done, position = [], 0
        while match := STATEMENT.search(text, position):
            end = closing(text, match.end())
            done.append(text[position : match.start()])
            done.append(self.statement(match[1], match[2], text[match.end() : end]))
            # What is said where it fails.
            rest = re.compile(r"\s*(else \$error\((?:[^\"]|\"[^\"]*\")*?\))?\s*;").match(text, end + 1)
            if rest is None:
                raise NotUnderstood(f"{match[1]}: no end of the statement")
            position = rest.end()
        done.append(text[position:])
        missing = self.assumed - {label for label, _ in self.asserted}
        if missing:
            raise NotUnderstood(f"there is no assertion {', '.join(sorted(missing))}")
        return "".join(done)
