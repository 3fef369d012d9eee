#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Draws a layout of `make place` as a PNG file: each cell a rectangle in the colour of its kind.

Reads the placement (DEF) and the sizes of the cells (LEF); no other tool is needed.
Needs the packages of synth/requirements.txt.
"""

import argparse
import re
import struct
import sys
import zlib
from pathlib import Path

import numpy

import place

# Kinds of cells by their names, the first that fits, and their colours.
KINDS = [
    ("hardened block or memory", None, (222, 203, 160)),
    ("buffer of the clock tree", re.compile(r"clkbuf|clkload"), (204, 51, 51)),
    ("flip-flop", re.compile(r"DFF|dfr"), (49, 105, 180)),
    ("full adder", re.compile(r"^FA"), (233, 150, 62)),
    ("buffer or inverter", re.compile(r"^BUF|^INV|_buf_|_inv_|HB"), (120, 171, 104)),
    ("other gate", re.compile(r""), (140, 140, 140)),
]
BACKGROUND, EDGE = (250, 250, 248), (90, 78, 50)
MACRO = re.compile(r"^MACRO (\S+)\s*$.*?^\s*SIZE ([\d.]+) BY ([\d.]+)", re.M | re.S)
CLASS = re.compile(r"^MACRO (\S+)\s*$.*?^\s*CLASS (\w+)", re.M | re.S)
COMPONENT = re.compile(
    r"^\s*- (\S+) (\S+)[^;]*?\+ (?:PLACED|FIXED) \( (-?\d+) (-?\d+) \) (\w+)", re.M
)
DIE = re.compile(r"^DIEAREA \( (-?\d+) (-?\d+) \) \( (-?\d+) (-?\d+) \)", re.M)
COMPONENTS = re.compile(r"^COMPONENTS \d+ ;$(.*?)^END COMPONENTS", re.M | re.S)
UNITS = re.compile(r"^UNITS DISTANCE MICRONS (\d+)", re.M)


class PictureError(Exception):
    """What is wrong, for the user."""


def sizes_of(texts):
    """Cell -> (width, height in um, whether it is a block) of LEF files."""
    found = {}
    for text in texts:
        blocks = {name for name, kind in CLASS.findall(text) if kind == "BLOCK"}
        for name, width, height in MACRO.findall(text):
            found[name] = (float(width), float(height), name in blocks)
    return found


def kind_of(instance, cell, is_block):
    """The number of a cell's kind in KINDS."""
    if is_block:
        return 0
    for number, (_, pattern, _) in enumerate(KINDS[1:], start=1):
        if pattern.search(instance if number == 1 else cell):
            return number
    raise AssertionError("the last kind fits everything")


def raster(text, sizes, pixels):
    """The layout as rows of numbers of kinds (0: nothing, 1: the first kind, -1: the edge of a block), with the
    area of each kind in um^2."""
    die, units, components = DIE.search(text), UNITS.search(text), COMPONENTS.search(text)
    if die is None or units is None or components is None:
        raise PictureError("the DEF file has no DIEAREA of two points, no UNITS or no COMPONENTS")
    left, bottom, right, top = (int(value) for value in die.groups())
    micron = int(units[1])
    scale = pixels / max(right - left, top - bottom)
    image = numpy.zeros(
        (round((top - bottom) * scale), round((right - left) * scale)), dtype=numpy.int8
    )
    areas = dict.fromkeys((name for name, _, _ in KINDS), 0.0)
    unknown = set()
    for instance, cell, x, y, orientation in COMPONENT.findall(components[1]):
        if cell not in sizes:
            unknown.add(cell)
            continue
        width, height, is_block = sizes[cell]
        if orientation in ("E", "W", "FE", "FW"):
            width, height = height, width
        kind = kind_of(instance, cell, is_block)
        areas[KINDS[kind][0]] += width * height
        # Down from the top, as pictures are.
        columns = [round((int(x) - left + part * micron) * scale) for part in (0, width)]
        rows = [image.shape[0] - round((int(y) - bottom + part * micron) * scale) for part in (height, 0)]
        area = image[max(0, rows[0]) : max(rows[1], rows[0] + 1), columns[0] : max(columns[1], columns[0] + 1)]
        area[...] = kind + 1
        if is_block:
            area[[0, -1], :] = -1
            area[:, [0, -1]] = -1
    if unknown:
        raise PictureError(f"no LEF file has the size of {', '.join(sorted(unknown)[:5])}")
    return image, areas


def png(image):
    """A PNG file of the rows, with a palette."""
    palette = [BACKGROUND, *(colour for _, _, colour in KINDS), EDGE]
    indices = numpy.where(image < 0, len(palette) - 1, image).astype(numpy.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in indices)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = indices.shape
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + chunk(b"PLTE", bytes(value for colour in palette for value in colour))
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def draw(job, pixels):
    """The raster of a layout (place.Flow), and the areas of its kinds of cells."""
    layout = job.layout_file("layout.def")
    platform = place.existing_flow(None) / "platforms" / place.PLATFORMS[job.arguments.library]
    files = sorted((platform / "lef").glob("*.lef")) + sorted(job.prepared.glob("*.lef"))
    files += [job.abstract(block) for block in job.variables("ACCLMT_BLOCKS")["ACCLMT_BLOCKS"].split()]
    sizes = sizes_of(path.read_text(errors="replace") for path in files)
    return raster(layout.read_text(), sizes, pixels)


def write(path, data):
    """Writes bytes as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    partial.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", choices=sorted(place.PLATFORMS), default="asap7", help="[asap7]")
    parser.add_argument("--top", type=place.module_name, required=True)
    parser.add_argument("--pixels", type=int, default=800, help="of the longer edge [800]")
    parser.add_argument("--out", type=Path, required=True, help="the PNG file")
    arguments = parser.parse_args()
    try:
        if arguments.pixels < 16:
            raise PictureError(f"--pixels {arguments.pixels} is not at least 16")
        image, areas = draw(place.Flow.of(arguments.library, arguments.top), arguments.pixels)
        write(arguments.out, png(image))
        for name, area in areas.items():
            print(f"{name:28} {area:12.1f} um^2")
    except (OSError, PictureError, place.PlaceError) as error:
        sys.exit(f"picture: {error}")


if __name__ == "__main__":
    main()
