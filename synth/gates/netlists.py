# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""The netlists that are simulated: those of `make area`, synthesised where they are not there yet."""

import json

import elaborate
from flow import design, library, memory, runner, tools

from simulator import Flattener

# The one cell of the library `generic` that is no gate of Yosys.
FULL_ADDER = """
module {cell} (input {inputs}, output {carry}, output {sum});
  wire different = {a} ^ {b};
  assign {sum} = different ^ {c};
  assign {carry} = ({a} & {b}) | (different & {c});
endmodule
"""


class Netlists:
    """Netlists mapped to one library; files are in `folder`, shared with `make area`."""

    def __init__(self, name, folder, jobs=2, say=print):
        self.library = library.load(name)
        self.folder = folder / name
        if self.library.mapped:
            self.library.unpack(self.folder / "liberty")
        self.runner = runner.Runner(
            self.library,
            memory.MemoryModel(self.library),
            self.folder,
            tools.versions(),
            jobs,
            say,
        )
        self.sources = elaborate.read_file_list(elaborate.FILE_LIST)
        self.cells = self._cells()
        # Those that are synthesised, by top module and parameters.
        self.designs = {}

    def _cells(self):
        """Modules with the functions of the library's cells, as its Liberty files state them."""
        file = self.folder / "functions.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        if self.library.mapped:
            read = [f"read_liberty -ignore_miss_func {path}" for path in self.library.files]
        else:
            adder = self.library.full_adder
            source = self.folder / "full_adder.v"
            source.write_text(
                FULL_ADDER.format(
                    cell=adder["cell"],
                    inputs=", ".join(adder["inputs"]),
                    carry=adder["carry"],
                    sum=adder["sum"],
                    **dict(zip("abc", adder["inputs"])),
                )
            )
            read = [f"read_verilog {source}", "proc", "techmap", "opt_clean"]
        tools.run_yosys([*read, f"write_json {file}"], "reading the functions of the cells")
        return json.loads(file.read_text())["modules"]

    def design(self, top, parameters=None):
        """The units below the module `top`, synthesised."""
        key = (top, json.dumps(parameters or {}, sort_keys=True))
        if key not in self.designs:
            folder = self.folder / "elaboration"
            cut = design.elaborate(self.sources, top, parameters or {}, folder)
            self.runner.run([cut])
            self.designs[key] = cut
        return self.designs[key]

    def modules(self, cut):
        """The units of a design as modules of Yosys JSON."""
        return {unit.name: self._module(unit.name) for unit in cut.order()}

    def _module(self, name):
        folder = self.runner.unit_folder(name)
        file = folder / "netlist.json"
        if not file.is_file():
            partial = file.with_suffix(".partial")
            tools.run_yosys(
                [f"read_verilog {folder / 'netlist.v'}", f"write_json {partial}"],
                f"reading the netlist of {name}",
            )
            partial.rename(file)
        module = json.loads(file.read_text())["modules"][name]
        for cell in module["cells"].values():
            # The gates of Yosys come back from Verilog as modules of that name.
            cell["type"] = cell["type"].removeprefix("\\")
        return module

    def circuit(self, cut, modules=None):
        """The flattened design, from its netlists or from `modules` in their place."""
        modules = modules or self.modules(cut)
        return Flattener({**self.cells, **modules}, cut.memories).circuit(cut.top)
