# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area and timing of the design: see ../area.py."""
