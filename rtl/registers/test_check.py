#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of check.py: a mistake in any of the files is found, and is named."""

import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "rtl/pkg/acclmt_reg_pkg.sv"
RDL = "rtl/registers/acclmt.rdl"
IP_XACT = "rtl/registers/acclmt.xml"
SVD = "rtl/registers/acclmt.svd"
HEADER = "rtl/registers/acclmt_registers.h"


# What PeakRDL has made of a text, which is the same in most tests.
MADE = {}


def read_back_once(rdl, folder, read_back=check.read_back):
    """The same as check.read_back, asking PeakRDL once for each text."""
    text = rdl.read_text()
    if text not in MADE:
        MADE[text] = [(path.name, path.read_text()) for path in read_back(rdl, folder)]
    for name, content in MADE[text]:
        (folder / name).write_text(content)
    return [folder / name for name, _ in MADE[text]]


class Repository(unittest.TestCase):
    """A copy of the files that are checked."""

    def setUp(self):
        patched = mock.patch("check.read_back", read_back_once)
        patched.start()
        self.addCleanup(patched.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path in (PACKAGE, RDL, IP_XACT, SVD, HEADER, "rtl/registers/test_header.c"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.root / path)

    def replace(self, path, old, new):
        """Replaces the text `old`, which must be there once."""
        text = (self.root / path).read_text()
        self.assertEqual(text.count(old), 1, f"{old!r} in {path}")
        (self.root / path).write_text(text.replace(old, new))

    def assert_refused(self, *words):
        """The copy is refused, with a message that has these words."""
        with self.assertRaises(check.CheckError) as caught:
            check.check(self.root)
        for word in words:
            self.assertIn(word, str(caught.exception))


class TestCheck(Repository):
    def test_files_of_the_repository_agree(self):
        self.assertIn("words", check.check(self.root))

    # ---- SystemRDL, against which all others are compared: the RTL is the first to differ -------------------

    def test_address_in_systemrdl(self):
        self.replace(RDL, "MODE @ 0x050", "MODE @ 0x03C")
        self.assert_refused("MODE")

    def test_first_element_in_systemrdl(self):
        self.replace(RDL, "LEVEL_TABLE[33] @ 0x400", "LEVEL_TABLE[33] @ 0x404")
        self.assert_refused("RegLevelTable0 is 0x400, acclmt.rdl has 0x404")

    def test_length_of_an_array_in_systemrdl(self):
        self.replace(RDL, "LEVEL_TABLE[33]", "LEVEL_TABLE[32]")
        self.assert_refused("RegLevelTable32 is there, acclmt.rdl does not have it")

    def test_width_of_a_counter_in_systemrdl(self):
        self.replace(RDL, "Value[63:0] = 0x0;\n  } CYCLES @", "Value[62:0] = 0x0;\n  } CYCLES @")
        self.assert_refused("CyclesValueWidth is not there, acclmt.rdl has it")

    def test_code_in_systemrdl(self):
        self.replace(RDL, "UnknownRegister = 32'd4", "UnknownRegister = 32'd40")
        self.assert_refused("ErrorUnknownRegister is 0x4, acclmt.rdl has 0x28")

    def test_what_peakrdl_does_not_read(self):
        self.replace(RDL, "addrmap acclmt {", "addrmap acclmt (")
        self.assert_refused("peakrdl ip-xact")

    # ---- The RTL ------------------------------------------------------------------------------------------

    def test_address_in_the_rtl(self):
        self.replace(PACKAGE, "RegPrime3 = 12'h02c", "RegPrime3 = 12'h02d")
        self.assert_refused("RegPrime3 is 0x2d, acclmt.rdl has 0x2c")

    def test_position_of_a_field_in_the_rtl(self):
        self.replace(PACKAGE, "ModePadBit = 1", "ModePadBit = 2")
        self.assert_refused("ModePadBit is 0x2, acclmt.rdl has 0x1")

    def test_constant_of_another_form_in_the_rtl(self):
        self.replace(PACKAGE, "12'h02c", "RegPrime2 + 4")
        self.assert_refused("constants that are not understood")

    def test_register_missing_in_the_rtl(self):
        self.replace(PACKAGE, "  localparam logic [11:0] RegMode = 12'h050;\n", "")
        self.assert_refused("RegMode is not there, acclmt.rdl has it")

    # ---- IP-XACT ------------------------------------------------------------------------------------------

    def test_address_in_ip_xact(self):
        self.replace(IP_XACT, "'h120<", "'h124<")
        self.assert_refused("acclmt.xml: CONSTANT_ADDRESS: address is 0x124, acclmt.rdl has 0x120")

    def test_reset_in_ip_xact(self):
        self.replace(IP_XACT, "'h41434D54<", "'h41434D55<")
        self.assert_refused("acclmt.xml: ID", "reset is 0x41434d55, acclmt.rdl has 0x41434d54")

    def test_description_in_ip_xact(self):
        self.replace(IP_XACT, "Number of leaves, 1 to 2^32: ", "Number of leaves: ")
        self.assert_refused("acclmt.xml: LEAVES is Number of leaves: its lower")

    def test_element_unknown_to_ip_xact(self):
        self.replace(IP_XACT, "<ipxact:usage>register</ipxact:usage>", "<ipxact:use>register</ipxact:use>")
        self.assert_refused("acclmt.xml:", "}use'", "not expected")

    def test_ip_xact_that_is_no_xml(self):
        self.replace(IP_XACT, "</ipxact:component>", "")
        self.assert_refused("acclmt.xml: no XML: Premature end of data")

    # ---- SVD ----------------------------------------------------------------------------------------------

    def test_address_in_svd(self):
        self.replace(SVD, "<addressOffset>0x27C</addressOffset>", "<addressOffset>0x280</addressOffset>")
        self.assert_refused("acclmt.svd: LEAF_BUSY_PARTIAL_6_HIGH: address is 0x2a8, acclmt.rdl has 0x2a4")

    def test_numbers_of_an_array_in_svd(self):
        text = (self.root / SVD).read_text()
        (self.root / SVD).write_text(text.replace("<dimIndex>1-6<", "<dimIndex>0-5<"))
        self.assert_refused("acclmt.svd: LEAF_BUSY_PARTIAL_6 is not there")

    def test_effect_of_a_write_in_svd(self):
        text = (self.root / SVD).read_text()
        (self.root / SVD).write_text(text.replace("<modifiedWriteValues>oneToClear</modifiedWriteValues>", "", 1))
        self.assert_refused("INTERRUPT_STATUS", "write_effect is None, acclmt.rdl has oneToClear")

    def test_access_in_svd(self):
        access = "<addressOffset>0x044</addressOffset>\n          <access>read-{}</access>"
        self.replace(SVD, access.format("only"), access.format("write"))
        self.assert_refused("acclmt.svd: STATUS", "access is read-write, acclmt.rdl has read-only")

    def test_value_unknown_to_svd(self):
        self.replace(SVD, "<usage>registers</usage>", "<usage>register</usage>")
        self.assert_refused("acclmt.svd:", "usage")

    # ---- The C header -------------------------------------------------------------------------------------

    def test_address_in_the_header(self):
        self.replace(HEADER, "ACCLMT_REG_MODE 0x050u", "ACCLMT_REG_MODE 0x054u")
        self.assert_refused("ACCLMT_REG_MODE is not offsetof(acclmt_t, MODE)")

    def test_distance_in_the_header(self):
        self.replace(HEADER, "(0x27Cu + 8u *", "(0x27Cu + 4u *")
        self.assert_refused("ACCLMT_REG_LEAF_BUSY_PARTIAL_HIGH(2u) is not")

    def test_mask_in_the_header(self):
        self.replace(HEADER, "ACCLMT_MODE_PAD_MASK 0x00000002u", "ACCLMT_MODE_PAD_MASK 0x00000003u")
        self.assert_refused("ACCLMT_MODE_PAD_MASK is not ACCLMT__MODE__PAD_bm")

    def test_macro_missing_in_the_header(self):
        self.replace(HEADER, "#define ACCLMT_ERROR_ILLEGAL_VALUE 8u\n", "")
        self.assert_refused("ACCLMT_ERROR_ILLEGAL_VALUE is in one of both only")

    def test_comment_that_only_newer_c_has(self):
        self.replace(HEADER, "#define ACCLMT_REG_MODE ", "// Mode.\n#define ACCLMT_REG_MODE ")
        self.assert_refused("cc -std=c90")

    def test_number_that_a_driver_counts_on(self):
        self.replace("rtl/registers/test_header.c", "ACCLMT_REG_STATUS == 0x044", "ACCLMT_REG_STATUS == 0x040")
        self.assert_refused('"state"')


if __name__ == "__main__":
    unittest.main()
