// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//
// Latencies, in cycles, and depths of the pipelines' buffers.
//
// Generated from sim-rs/model/src/latencies.rs, which the cycle-exact model shares; do not edit.
// Regenerate with
//   UPDATE_LATENCIES=1 cargo test -p acclmt-model latencies

package acclmt_latency_pkg;

  /// Choice of the state that takes a slot of a sub-engine.
  localparam int unsigned IssueLatency = 1;

  /// Three-level Karatsuba multiplier or squarer.
  localparam int unsigned MulLatency = 6;

  /// Addition of products, and resolution of the carries between chunks.
  localparam int unsigned AccumulateLatency = 2;

  /// Montgomery reduction by a constant prime.
  localparam int unsigned ReduceLatency = 7;

  /// Montgomery reduction by a run-time prime: digits, one stage each.
  localparam int unsigned RuntimeDigits = 10;

  /// Montgomery reduction by a run-time prime: stages besides those of the digits.
  localparam int unsigned RuntimeReduceStages = 3;

  /// Modular addition.
  localparam int unsigned AddLatency = 1;

  /// A matrix of small integers, by adders, with its constants.
  localparam int unsigned AddersLatency = 6;

  /// Sum of an element and a coefficient ahead of a multiplier.
  localparam int unsigned OperandLatency = 1;

  /// Carries between the chunks of a sum.
  localparam int unsigned ResolveLatency = 1;

  /// A buffer from its input to its output.
  localparam int unsigned FifoLatency = 2;

  /// The buffer between the S-boxes and the matrix of a full-round sub-engine: write and read.
  localparam int unsigned TurnLatency = 2;

  /// Product of an input element with a constant R^2.
  localparam int unsigned EnterProductLatency = 5;

  /// Places of a buffer behind a pipeline that never stalls, besides one for each stage.
  localparam int unsigned PlacesBesidesStages = 4;

  /// Beats that fit in a sub-engine, and in each of its output buffers: enough to keep the loop
  /// full with states of one to four beats.
  localparam int unsigned ConstantPlaces = 64;

  /// The same with a run-time prime, whose loops are longer.
  localparam int unsigned RuntimePlaces = 128;

  /// States that wait for their dense layer in the turn memory, where other layers are made by
  /// adders.
  localparam int unsigned ConstantTurnStates = 16;

  /// The same with a run-time prime, on their way through longer S-boxes.
  localparam int unsigned RuntimeTurnStates = 32;

  /// Beats of initial states that wait for their hash engine.
  localparam int unsigned LoaderPlaces = 8;

  /// Beats that leave the partial rounds as residues and wait for the last visit.
  localparam int unsigned ExitPlaces = 8;

  /// From a start that acts until the queue of the lowest level of the tree is laid out.
  localparam int unsigned LevelSetupLatency = 2;

  /// Nodes on their way out that wait for the conversion.
  localparam int unsigned NodeOutputDepth = 4;

endpackage
