# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""The one error that ends the flow with a message for the user."""


class FlowError(Exception):
    """Something is missing or wrong; the message says what, where, and what to do."""
