#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of place.py and of the design configurations: whole runs with a small Makefile in place of that of
OpenROAD-flow-scripts, and the lint of the Tcl. Neither OpenROAD nor its flow is needed."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import picture
import place
import publish

HERE = Path(__file__).resolve().parent
VENV = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

NETLIST = """
module acclmt_part(clk_i, rst_ni, a_i, q_o);
  input clk_i; input rst_ni; input [3:0] a_i; output [7:0] q_o;
  BLOCK
  MEMORY
  BUFx2 u_buffer(.A(a_i[0]), .Y(q_o[0]));
endmodule
"""
MEMORY = """acclmt_mem_1r1w #(.Width(8), .Depth(13)) u_memory(.clk_i(clk_i), .write_enable_i(1'b1),
    .write_address_i(a_i), .write_data_i({a_i, a_i}), .read_enable_i(1'b1), .read_address_i(a_i),
    .memory_config_i({a_i, a_i, 2'b0}), .read_data_o(q_o));"""

# A step leaves the file of that name, so that make takes it for done; `synth` shows what it was given.
MAKEFILE = """
include $(DESIGN_CONFIG)
RESULTS = $(WORK_HOME)/results/$(PLATFORM)/$(DESIGN_NAME)/$(FLOW_VARIANT)
LOGS = $(WORK_HOME)/logs/$(PLATFORM)/$(DESIGN_NAME)/$(FLOW_VARIANT)
$(RESULTS)/1_2_yosys.v: $(SYNTH_NETLIST_FILES)
	@echo "the synthesis is not to run"; exit 1
$(RESULTS)/synth: $(RESULTS)/1_2_yosys.v $(SDC_FILE)
	@echo "Running synth_odb.tcl, stage 1_synth"
	@env >$@
	@echo ran synth >>$(CALLS)
$(RESULTS)/floorplan: $(RESULTS)/synth
$(RESULTS)/place: $(RESULTS)/floorplan
$(RESULTS)/cts: $(RESULTS)/place
$(RESULTS)/floorplan $(RESULTS)/place $(RESULTS)/cts:
	@if [ "$(notdir $@)" = "$(FAILS)" ]; then echo "fails, as the test wants"; exit 3; fi
	@echo ran $(notdir $@) >>$(CALLS)
	@if [ $(notdir $@) = cts ]; then sed s/globalroute__/cts__/g $(METRICS) >$(LOGS)/4_1_cts.json; fi
	@touch $@
$(RESULTS)/grt: $(RESULTS)/cts
	@echo ran grt >>$(CALLS)
	@cp $(METRICS) $(LOGS)/5_1_grt.json
	@echo "Total   100   20   12.50%   0 /  0 /  OVERFLOW" | sed "s/OVERFLOW/$(OVERFLOW)/" >$(LOGS)/5_1_grt.log
	@touch $@
synth floorplan place cts grt: %: $(RESULTS)/%
do-generate_abstract:
	@echo ran abstract of $(ABSTRACT_SOURCE) >>$(CALLS)
	@touch $(RESULTS)/$(DESIGN_NAME).lef $(RESULTS)/$(DESIGN_NAME)_typ.lib
.PHONY: synth floorplan place cts grt do-generate_abstract
"""
METRICS = {
    "globalroute__timing__setup__ws": -12.5,
    "globalroute__timing__hold__ws": 1e42,
    "globalroute__timing__drv__hold_violation_count": 0,
    "globalroute__timing__drv__max_slew": 0,
    "globalroute__timing__drv__max_cap": 0,
    "globalroute__clock__skew__setup": 85.0,
    "globalroute__design__instance__utilization": 0.501,
    "globalroute__design__instance__area__stdcell": 730.5,
    "globalroute__global_route__wirelength": 12345,
    "acclmt__slack__registers": -12.5,
    "acclmt__slack__from_inputs": 44.0,
}


class Run(unittest.TestCase):
    """Whole runs, each in a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve()
        flow = self.folder / "orfs" / "flow"
        for folder in ("scripts", "platforms"):
            (flow / folder).mkdir(parents=True)
        (flow / "scripts" / "global_route.tcl").touch()
        (flow / "Makefile").write_text(MAKEFILE)
        openroad = self.folder / "bin" / "openroad"
        openroad.parent.mkdir()
        openroad.write_text("#!/bin/sh\n")
        openroad.chmod(0o755)
        self.netlist = self.folder / "netlist.v"
        self.netlist.write_text(NETLIST.replace("MEMORY", MEMORY).replace("BLOCK", ""))
        self.metrics = self.folder / "metrics.json"
        self.metrics.write_text(json.dumps(METRICS))
        self.calls = self.folder / "calls"
        self.out = self.folder / "out"
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ACCLMT_") and name not in ("OPENROAD_EXE", "CORE_UTILIZATION")
        }
        self.environment = environment | {
            "PATH": f"{openroad.parent}{os.pathsep}{os.environ['PATH']}",
            "ORFS_DIR": str(self.folder / "orfs"),
            "CALLS": str(self.calls),
            "METRICS": str(self.metrics),
            "FAILS": "",
            "OVERFLOW": "0",
        }

    def place(self, *arguments, top="acclmt_part", **environment):
        """Runs place.py; returns its exit code, its output and its errors."""
        command = [sys.executable, str(HERE / "place.py"), "--top", top]
        command += ["--netlist", str(self.netlist), "--out", str(self.out), *arguments]
        done = subprocess.run(
            command, env=self.environment | environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def ran(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def results(self, top="acclmt_part", platform="asap7"):
        return self.out / "results" / platform / top / "base"

    def given(self, platform="asap7"):
        """The environment of the first step."""
        lines = (self.results(platform=platform) / "synth").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def assert_refused(self, message, *arguments, **environment):
        code, output, errors = self.place(*arguments, **environment)
        self.assertEqual((code, output), (1, ""), errors)
        self.assertIn(message, errors)
        self.assertNotIn("Traceback", errors)
        self.assertEqual(self.ran(), [])

    def test_whole_run_with_memories(self):
        code, output, errors = self.place("--json")
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.ran(), [f"ran {step}" for step in place.STEPS])
        prepared = self.out / "netlists" / "asap7" / "acclmt_part"
        text = (prepared / "netlist.v").read_text()
        self.assertIn("acclmt_mem_1r1w_8x13 u_memory", text)
        self.assertEqual((self.results() / "1_2_yosys.v").read_text(), text)
        given = self.given()
        self.assertEqual(given["ADDITIONAL_LEFS"].split(), [str(prepared / "memories.lef")])
        self.assertEqual(given["ADDITIONAL_LIBS"].split(), [str(prepared / "memories.lib")])
        self.assertEqual(given["SYNTH_NETLIST_FILES"], str(prepared / "netlist.v"))
        self.assertEqual(given["SDC_FILE"], str(HERE / "constraints.sdc"))
        self.assertEqual((given["PLATFORM"], given["CORNER"]), ("asap7", "TC"))
        self.assertEqual((given["ACCLMT_PERIOD_PS"], given["ACCLMT_UNITS_PER_PS"]), ("1250", "1"))
        self.assertEqual(given["MACRO_PLACE_HALO"], "2 2")
        self.assertEqual(given["MACRO_PLACEMENT_TCL"], str(HERE / "macros.tcl"))
        self.assertEqual(given["PRE_GLOBAL_ROUTE_TCL"], str(HERE / "before_routing.tcl"))
        self.assertEqual(given["POST_CTS_TCL"], str(HERE / "after_cts.tcl"))
        self.assertEqual(given["POST_GLOBAL_ROUTE_TCL"], str(HERE / "after_routing.tcl"))
        for name in ("after_cts.tcl", "after_routing.tcl"):
            self.assertIn("measure.tcl]", (HERE / name).read_text())
        values = json.loads(output)
        self.assertEqual(values, json.loads((self.results() / "place.json").read_text()))
        self.assertEqual(values["setup_worst_slack_ps"], -12.5)
        self.assertIsNone(values["hold_worst_slack_ps"])
        # Of a period of 1250 ps a path inside has 95 percent, and OpenROAD's skew 5 percent too many.
        self.assertAlmostEqual(values["shortest_period_ps"], 1250 + 12.5 / 0.95)
        self.assertEqual(values["shortest_period_of"], "registers")
        self.assertAlmostEqual(values["clock_skew_setup_ps"], 85 - 62.5)
        self.assertAlmostEqual(values["utilization_percent"], 50.1)
        self.assertEqual((values["routing_usage_percent"], values["routing_overflow"]), (12.5, 0))
        self.assertEqual(values["wire_length_um"], 12345)
        self.assertEqual(list(self.out.glob("**/*.partial")), [])

    def test_ports_have_their_share_of_the_period(self):
        # 55 percent of 1000 ps, of which 44 are left: 506 ps, which are 55 percent of 920 ps.
        share = place.shares(0.4, 0.2)
        self.assertAlmostEqual(
            place.shortest_period(1000, {"from_inputs": 44, "through": None}, share)[0], 920
        )
        # 75 percent, of which 30 are missing.
        period, kind = place.shortest_period(1000, {"from_inputs": 44, "to_outputs": -30}, share)
        self.assertAlmostEqual(period, 1040)
        self.assertEqual(kind, "to_outputs")
        self.assertEqual(place.shortest_period(1000, {"registers": None}, share), (None, None))

    def test_run_until_the_clock_tree(self):
        code, output, errors = self.place("--until-cts", "--json")
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.ran(), [f"ran {step}" for step in place.STEPS[:-1]])
        values = json.loads(output)
        self.assertAlmostEqual(values["estimated_period_registers_ps"], 1250 + 12.5 / 0.95)
        # 55 percent of the period are the path's.
        self.assertAlmostEqual(values["estimated_period_from_inputs_ps"], 1250 - 44 / 0.55)
        self.assertIsNone(values["estimated_period_through_ps"])
        self.assertEqual(values["cell_area_um2"], 730.5)
        self.assertFalse((self.results() / "place.json").exists())
        # The rest of the run goes on behind it.
        self.assertEqual(self.place()[0], 0)
        self.assertEqual(self.ran()[-1], "ran grt")
        for option in ("--prepare", "--pin-access"):
            code, _, errors = self.place("--until-cts", option)
            self.assertEqual(code, 2)
            self.assertIn("--until-cts ends before", errors)

    def test_library_in_ns_without_memories(self):
        self.netlist.write_text(NETLIST.replace("MEMORY", "").replace("BLOCK", ""))
        code, output, errors = self.place("--library", "sg13g2", "--period-ps", "12500", "--pin-access")
        self.assertEqual(code, 0, errors)
        given = self.given("ihp-sg13g2")
        self.assertEqual((given["PLATFORM"], given["ACCLMT_UNITS_PER_PS"]), ("ihp-sg13g2", "0.001"))
        self.assertEqual(given["ACCLMT_PERIOD_PS"], "12500")
        self.assertEqual(given["PDN_TCL"], str(HERE / "sg13g2" / "pdn.tcl"))
        self.assertEqual(given.get("ADDITIONAL_LEFS", "").split(), [])
        self.assertNotIn("PRE_GLOBAL_ROUTE_TCL", given)
        self.assertRegex(output, r"setup_worst_slack_ps +-12500\n")

    def test_block_is_hardened_and_used(self):
        self.netlist.write_text("module acclmt_mul(clk_i); input clk_i; endmodule\n")
        code, _, errors = self.place(top="acclmt_mul")
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.ran()[-1], "ran abstract of 5_1_grt")
        self.calls.unlink()
        self.assertEqual(self.blocks_of("acclmt_mul"), "1 M5")
        self.assertEqual(self.blocks_of("acclmt_part"), " ")
        text = "module acclmt_mul(clk_i); input clk_i; endmodule\n"
        names = ["acclmt_mul", "acclmt_sqr", "acclmt_reduce_constant"]
        text = "".join(text.replace("acclmt_mul", name) for name in names)
        text += "module acclmt_partial_round_engine(clk_i); input clk_i;\n"
        text += "".join(f"{name} u_{name}(.clk_i(clk_i));\n" for name in names) + "endmodule\n"
        self.netlist.write_text(text)
        missing = "block acclmt_sqr of acclmt_partial_round_engine has no layout yet: run `make place"
        code, _, errors = self.place(top="acclmt_partial_round_engine")
        self.assertEqual(code, 1)
        self.assertIn(missing, errors)
        for name in names[1:]:
            self.assertEqual(self.place(top=name)[0], 0)
        code, _, errors = self.place(top="acclmt_partial_round_engine")
        self.assertEqual(code, 0, errors)
        folder = self.results("acclmt_partial_round_engine")
        given = (folder / "synth").read_text()
        for name in names:
            self.assertIn(f"{self.results(name) / name}.lef", given)
            self.assertIn(f"{self.results(name) / name}_typ.lib", given)
        netlist = (folder / "1_2_yosys.v").read_text()
        self.assertIn("acclmt_sqr u_acclmt_sqr", netlist)
        self.assertNotIn("module acclmt_sqr", netlist)
        self.assertIn(str(HERE / "before_resizing.tcl"), given)

    def blocks_of(self, top):
        show = "$(info $(ACCLMT_HARDENED) $(MAX_ROUTING_LAYER))"
        command = ["make", "-s", "-f", str(HERE / "asap7" / "config.mk"), f"--eval=show: ; @:{show}", "show"]
        environment = self.environment | {
            "DESIGN_CONFIG": str(HERE / "asap7" / "config.mk"), "DESIGN_NAME": top,
        }  # fmt: skip
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip("\n")

    def test_block_that_is_not_there_is_refused(self):
        (self.out / "results" / "asap7").mkdir(parents=True)
        for name in ("acclmt_mul", "acclmt_sqr", "acclmt_reduce_constant"):
            self.results(name).mkdir(parents=True)
            (self.results(name) / f"{name}.lef").touch()
        self.netlist.write_text("module acclmt_partial_round_engine(a); input a; endmodule\n")
        code, _, errors = self.place(top="acclmt_partial_round_engine")
        self.assertEqual(code, 1)
        self.assertIn("has no module acclmt_mul below acclmt_partial_round_engine", errors)

    def test_failed_step_goes_on_where_it_stood(self):
        code, output, errors = self.place(FAILS="cts")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("cts failed (exit code 2)", errors)
        self.assertIn("fails, as the test wants", errors)
        self.assertFalse((self.results() / "place.json").exists())
        done = self.ran()
        self.assertEqual(self.place()[0], 0)
        self.assertEqual(self.ran()[len(done) :], ["ran cts", "ran grt"])
        # Nothing is left to do, and what was prepared stays as old as it was; another period begins anew.
        prepared = self.out / "netlists" / "asap7" / "acclmt_part" / "memories.lef"
        age = prepared.stat().st_mtime_ns
        self.assertEqual(self.place()[0], 0)
        self.assertEqual(len(self.ran()), 5)
        self.assertEqual(prepared.stat().st_mtime_ns, age)
        self.assertEqual(self.place("--period-ps", "999")[0], 0)
        self.assertEqual(len(self.ran()), 10)
        self.assertEqual(self.place(SLEW_MARGIN="20")[0], 0)
        self.assertEqual(len(self.ran()), 15)
        self.assertNotIn("PRE_RESIZE_TCL", self.given())
        self.assertEqual(self.place(SLEW_MARGIN="20", ACCLMT_MAX_WIRE_UM="100")[0], 0)
        self.assertEqual(len(self.ran()), 20)
        self.assertEqual(self.given()["PRE_RESIZE_TCL"], str(HERE / "before_resizing.tcl"))

    def test_broken_limits_fail(self):
        for name, value, message in [
            ("timing__drv__max_slew", 45, "slew_violations is 45"),
            ("timing__drv__max_cap", 1, "load_violations is 1"),
            ("timing__drv__hold_violation_count", 2, "hold_violations is 2"),
        ]:
            with self.subTest(name):
                self.metrics.write_text(json.dumps(METRICS | {f"globalroute__{name}": value}))
                shutil.rmtree(self.out, ignore_errors=True)
                code, output, errors = self.place()
                self.assertEqual(code, 1)
                self.assertIn(f"the layout does not hold: {message}", errors)
                self.assertIn("cell_area_um2", output)
        self.metrics.write_text(json.dumps(METRICS))
        shutil.rmtree(self.out)
        code, _, errors = self.place(OVERFLOW="7")
        self.assertEqual(code, 1)
        self.assertIn("the layout does not hold: routing_overflow is 7", errors)

    def test_missing_input_is_named(self):
        self.assert_refused("set ORFS_DIR to a clone of", ORFS_DIR="")
        self.assert_refused(
            f"{self.folder / 'flow' / 'Makefile'} does not exist: ORFS_DIR", ORFS_DIR=str(self.folder)
        )
        self.netlist.write_text("module other; endmodule\n")
        self.assert_refused("has no module acclmt_part")
        self.netlist.unlink()
        self.assert_refused("netlist.v does not exist: name another one")

    def test_default_netlist_names_make_area(self):
        arguments = place.parse_arguments(["--top", "acclmt_no_such_module"])
        wanted = "`make area LIB=asap7 TOP=acclmt_no_such_module` writes it"
        with self.assertRaisesRegex(place.PlaceError, wanted):
            place.existing_netlist(None, arguments)

    def test_wrong_arguments_are_refused(self):
        for arguments in (
            ["--library", "other"], ["--top", "a b"], ["--period-ps", "0"], ["--period-ps", "nan"],
            ["--utilization", "101"],
        ):  # fmt: skip
            with self.subTest(arguments):
                code, _, errors = self.place(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(arguments[0], errors)
                self.assertIn(arguments[1], errors)

    def test_skipped_without_openroad(self):
        nothing = {"PATH": str(self.folder / "nothing")}
        code, output, errors = self.place(**nothing)
        self.assertEqual((code, output), (0, ""))
        self.assertIn("skipped: `openroad` is neither on the PATH nor named by OPENROAD_EXE", errors)
        self.assertIn("Install OpenROAD", errors)
        self.assertFalse(self.out.exists())
        # The netlist alone can be prepared.
        (self.folder / "bin" / "openroad").unlink()
        code, _, errors = self.place("--prepare", ORFS_DIR="")
        self.assertEqual(code, 0, errors)
        self.assertTrue((self.out / "netlists" / "asap7" / "acclmt_part" / "netlist.v").is_file())
        self.assertEqual(self.ran(), [])


DEF = """VERSION 5.8 ;
UNITS DISTANCE MICRONS 1000 ;
DIEAREA ( 0 0 ) ( 10000 8000 ) ;
COMPONENTS 4 ;
    - u_block acclmt_mul + FIXED ( 0 0 ) N ;
    - u_ff DFFHQNx1_ASAP7_75t_R + SOURCE TIMING + PLACED ( 6000 0 ) FS ;
    - clkbuf_leaf_3_clk_i BUFx4_ASAP7_75t_R + SOURCE TIMING + PLACED ( 6000 1000 ) N ;
    - turned FAx1_ASAP7_75t_R + PLACED ( 9000 4000 ) W ;
END COMPONENTS
PINS 1 ;
    - clk_i + NET clk_i + PORT + LAYER M4 ( 0 0 ) ( 1 1 ) + FIXED ( 0 0 ) N ;
END PINS
"""
SIZES = """MACRO acclmt_mul
  CLASS BLOCK ;
  SIZE 5.0 BY 4.0 ;
END acclmt_mul
MACRO DFFHQNx1_ASAP7_75t_R
  CLASS CORE ;
  SIZE 2.0 BY 1.0 ;
END DFFHQNx1_ASAP7_75t_R
MACRO BUFx4_ASAP7_75t_R
  CLASS CORE ;
  SIZE 1.0 BY 1.0 ;
END BUFx4_ASAP7_75t_R
MACRO FAx1_ASAP7_75t_R
  CLASS CORE ;
  SIZE 2 BY 1 ;
END FAx1_ASAP7_75t_R
"""


class Picture(unittest.TestCase):
    def test_cells_lie_where_the_def_file_says(self):
        image, areas = picture.raster(DEF, picture.sizes_of([SIZES]), 10)
        rows = ["".join({0: ".", -1: "#"}.get(value, str(value)) for value in row) for row in image]
        self.assertEqual(
            rows,
            [
                "..........",
                "..........",
                ".........4",
                ".........4",
                "#####.....",
                "#111#.....",
                "#111#.2...",
                "#####.33..",
            ],
        )
        self.assertEqual(areas["hardened block or memory"], 20)
        self.assertEqual((areas["flip-flop"], areas["buffer of the clock tree"]), (2, 1))
        data = picture.png(image)
        self.assertTrue(data.startswith(b"\x89PNG\r\n\x1a\n"))
        self.assertTrue(data.endswith(b"IEND\xaeB`\x82"))

    def test_unknown_cells_are_refused(self):
        with self.assertRaisesRegex(picture.PictureError, "no LEF file has the size of FAx1"):
            picture.raster(DEF, picture.sizes_of([SIZES.replace("MACRO FAx1", "MACRO FAx2")]), 10)
        with self.assertRaisesRegex(picture.PictureError, "no COMPONENTS"):
            picture.raster(DEF.replace("COMPONENTS 4", "NETS 4"), {}, 10)


class Publish(unittest.TestCase):
    AREA = {
        "library": "asap7",
        "baseline": {"module": "acclmt_baseline"},
        "cycles": {"num_full": 1, "num_partial": 2},
        "ratios": {"arity_11": 2.1, "arity_2": 4.2, "large_prime_only": {}},
    }
    LAYOUT = {
        "before": {"commit": "abc", "area_um2": 700.4, "memory_um2": 0.0, "worst_path_ns": 0.5},
        "areas": {"flip-flop": 80.0, "full adder": 0.0},
        "layout": {
            "library": "asap7", "top": "acclmt_mod_add", "period_ps": 1000.0, "cell_area_um2": 730.5,
            "macro_area_um2": 0.0, "core_area_um2": 922.6, "utilization_percent": 79.2,
            "shortest_period_ps": 934.3, "shortest_period_of": "from_inputs", "wire_length_um": 25713.0,
            "routing_overflow": 0, "hold_violations": 0.0, "slew_violations": 3.0, "load_violations": None,
        },
    }  # fmt: skip

    def test_page_has_the_figures(self):
        text = publish.page(
            f"before\n{publish.BEGIN}\nearlier text\n{publish.END}\n{publish.RATIOS_BEGIN}\n{publish.RATIOS_END}\nbehind\n",
            {"asap7-acclmt_mod_add": self.LAYOUT},
            self.AREA,
        )
        row = (
            "| asap7 | [`acclmt_mod_add`](#asap7-acclmt_mod_add) | 700 | 0.50 | 730 | 923 | 79 % | 1.00 | 0.93 | "
            "25.7 | 0 | slew_violations is 3 |"
        )
        self.assertIn(row, text)
        self.assertIn("![Layout of acclmt_mod_add on asap7](layouts/asap7-acclmt_mod_add.png)", text)
        self.assertIn("Areas: flip-flop 80 um^2.", text)
        self.assertNotIn("earlier text", text)
        self.assertTrue(text.startswith("before") and text.endswith("behind\n"))
        self.assertIn("Not known on asap7: both sub-engines and `acclmt_baseline` need a layout.", text)
        for nothing in ("nothing", f"{publish.BEGIN}{publish.END}"):
            with self.assertRaisesRegex(publish.PublishError, "markers"):
                publish.page(nothing, {}, self.AREA)

    def test_ratios_follow_the_growth_of_both(self):
        def entry(before, cells, macros, core):
            layout = {"cell_area_um2": cells, "macro_area_um2": macros, "core_area_um2": core}
            return {"before": {"area_um2": before}, "layout": layout}

        layouts = {
            "asap7-acclmt_full_round_engine": entry(200.0, 60.0, 280.0, 900.0),
            # Two of it: 400 before, 560 routed, 1,500 of core together.
            "asap7-acclmt_partial_round_engine": entry(100.0, 10.0, 100.0, 300.0),
            "asap7-acclmt_baseline": entry(50.0, 20.0, 80.0, 150.0),
        }
        head, _, *rows = publish.ratios(layouts, self.AREA)
        self.assertEqual(head, "| library | area | our sub-engines | the paper's multiplier | arity 2 | arity 11 |")
        self.assertEqual(
            rows,
            [
                "| asap7 | before the layout, cells | 1.00 | 1.00 | 4.20 | 2.10 |",
                "| asap7 | routed, cells and blocks | 1.40 | 2.00 | 6.00 | 3.00 |",
                "| asap7 | routed, core | 3.75 | 3.00 | 3.36 | 1.68 |",
                "",
            ],
        )


class Lint(unittest.TestCase):
    def test_scripts_are_clean(self):
        for command in (["tclint"], ["tclfmt", "--check"]):
            with self.subTest(command[0]):
                tool = shutil.which(command[0], path=VENV)
                done = subprocess.run(
                    [tool, *command[1:], str(HERE)], capture_output=True, text=True, check=False
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


# A core of 1000 x 1000 with sites of 10 x 20, and macros by names with widths and heights, for macros.tcl.
CORE = """
namespace eval ord { proc get_db_block {} { return block } }
namespace eval utl { proc error {tool number text} { ::error "$tool-$number: $text" } }
proc block {what} {
  return [dict get {getCoreArea core getDbUnitsPerMicron 10 getRows row} $what]
}
proc core {what} { return [dict get {xMin 0 yMin 0 xMax 1000 yMax 1000} $what] }
proc row {what} { return site }
proc site {what} { return [dict get {getWidth 10 getHeight 20} $what] }
set instances {}
proc find_macros {} { return $::instances }
proc macro {name width height} {
  lappend ::instances $name
  proc size_of_$name {what} "return \\[dict get {getWidth $width getHeight $height} \\$what\\]"
  proc $name {what args} "
    switch \\$what {
      getName { return $name }
      getMaster { return size_of_$name }
      setLocation { puts \\"$name \\$args\\" }
    }"
}
"""


@unittest.skipUnless(shutil.which("sta"), "OpenSTA (`sta`), whose Tcl this needs, is not on the PATH")
class Macros(unittest.TestCase):
    """macros.tcl on a core of its own."""

    def placed(self, macros, rows="", margin="0"):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "run.tcl"
            lines = [f"macro {name} {width} {height}" for name, (width, height) in macros.items()]
            script.write_text(CORE + "\n".join([*lines, f"source {HERE / 'macros.tcl'}"]) + "\n")
            # 2 units of space on each side.
            environment = os.environ | {
                "MACRO_PLACE_HALO": "0.2 0.2",
                "ACCLMT_MACRO_MARGIN": margin,
                "ACCLMT_MACRO_ROWS": rows,
            }
            done = subprocess.run(
                ["sta", "-no_splash", "-exit", str(script)],
                env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            output = done.stdout + done.stderr
            found = re.findall(r"^(\w+) (\d+) (\d+)$", output, re.M)
            return {name: (int(x), int(y)) for name, x, y in found} or output.strip()

    def test_rows_are_filled_from_the_bottom(self):
        macros = {"b2": (300, 100), "b10": (300, 100), "b1": (300, 100), "c": (300, 100), "a": (500, 200)}
        self.assertEqual(
            self.placed(macros),
            # Spaces of 4 and a site, on whole sites and rows.
            {"a": (0, 0), "b1": (510, 0), "b2": (0, 220), "b10": (310, 220), "c": (620, 220)},
        )

    def test_rows_with_names_spread_over_the_core(self):
        macros = {"a1": (200, 100), "a2": (200, 300), "b": (100, 100), "c": (100, 100), "d": (405, 90)}
        self.assertEqual(
            self.placed(macros, "{c d} {a*} b"),
            # 1000 less 100, 300 and 100 is 500 in height.
            {"c": (0, 0), "d": (590, 0), "a1": (0, 340), "a2": (800, 340), "b": (0, 900)},
        )

    def test_a_margin_is_kept_at_the_edges(self):
        macros = {"a1": (200, 100), "a2": (200, 300), "b": (100, 100)}
        # 1000 less 80 and 400.
        self.assertEqual(
            self.placed(macros, "{a*} b", margin="4"),
            {"a1": (40, 40), "a2": (760, 40), "b": (40, 860)},
        )
        self.assertEqual(self.placed({"b": (100, 100)}, margin="4"), {"b": (40, 40)})
        self.assertIn("no room for the macros", self.placed({"a": (930, 300)}, margin="4"))

    def test_channels_have_their_shares_of_a_row(self):
        macros = {"a": (200, 100), "b": (200, 300), "c1": (100, 100), "c2": (100, 100), "d": (100, 90)}
        # 1000 less 700 is 300 in width, for channels of 5, 1, 1 and 3 shares.
        self.assertEqual(
            self.placed(macros, "{a 5 b c* 3 d}"),
            {"a": (0, 0), "b": (350, 0), "c1": (580, 0), "c2": (710, 0), "d": (900, 0)},
        )
        # 200 for 3, 4, 1 and 2.
        macros["c2"] = (200, 100)
        self.assertEqual(
            self.placed(macros, "{a 3 b 4 c1 c2 2 d}"),
            {"a": (0, 0), "b": (260, 0), "c1": (540, 0), "c2": (660, 0), "d": (900, 0)},
        )

    def test_names_and_room_are_checked(self):
        macros = {"a": (600, 300), "b": (600, 300)}
        small = {"a": (300, 300), "b": (300, 300)}
        for rows in "{2 a b}", "{a b 2}", "{a 2 3 b}", "{a 0 b}", "{a -1 b}":
            with self.subTest(rows):
                self.assertIn("no share between two macros", self.placed(small, rows))
        # A share that is less than the least space.
        three = {name: (300, 300) for name in "abc"}
        self.assertIn("no room for the macros", self.placed(three, "{a 50 b c}"))
        self.assertIn("does not name the macro b", self.placed(macros, "a"))
        self.assertIn("names c*, and no macro that is left", self.placed(macros, "{a b} c*"))
        self.assertIn("no room for the macros", self.placed(macros, "{a b}"))
        self.assertIn("no room for the macros", self.placed({name: (600, 300) for name in "abcd"}))
        self.assertIn("no room for the macros", self.placed({"a": (1001, 300)}))


if __name__ == "__main__":
    unittest.main()
