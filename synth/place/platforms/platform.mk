# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Prints the environment that a platform of OpenROAD-flow-scripts exports, one NAME=VALUE and a zero
# byte each: make -f platform.mk PLATFORM_DIR=.../flow/platforms/asap7 environment

.PHONY: environment
environment:
	@env -0

export PLATFORM_DIR
include $(PLATFORM_DIR)/config.mk
