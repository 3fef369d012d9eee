// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//
// Register map of acclmt_core: byte addresses, fields and error codes.
//
// Generated from sim-rs/src/registers.rs; do not edit. Regenerate with
//   UPDATE_REGISTERS=1 cargo test -p acclmt --lib registers

// A host sees every register; the hardware does not need every name of them.
/* verilator lint_off UNUSEDPARAM */

package acclmt_reg_pkg;

  localparam logic [31:0] IdValue = 32'h41434d54;
  localparam logic [31:0] VersionValue = 32'h00000200;

  // Byte addresses. A counter has 64 bits: its high word is 4 bytes on.
  localparam logic [11:0] RegId = 12'h000;
  localparam logic [11:0] RegVersion = 12'h004;
  localparam logic [11:0] RegCapsEngine = 12'h008;
  localparam logic [11:0] RegCapsDepth = 12'h00c;
  localparam logic [11:0] RegCapsTree = 12'h010;
  localparam logic [11:0] RegCapsField = 12'h014;
  localparam logic [11:0] RegPrime0 = 12'h020;
  localparam logic [11:0] RegPrime1 = 12'h024;
  localparam logic [11:0] RegPrime2 = 12'h028;
  localparam logic [11:0] RegPrime3 = 12'h02c;
  localparam logic [11:0] RegPrime4 = 12'h030;
  localparam logic [11:0] RegPrime5 = 12'h034;
  localparam logic [11:0] RegPrime6 = 12'h038;
  localparam logic [11:0] RegPrime7 = 12'h03c;
  localparam logic [11:0] RegControl = 12'h040;
  localparam logic [11:0] RegStatus = 12'h044;
  localparam logic [11:0] RegError = 12'h048;
  localparam logic [11:0] RegErrorInfo = 12'h04c;
  localparam logic [11:0] RegMode = 12'h050;
  localparam logic [11:0] RegArity = 12'h054;
  localparam logic [11:0] RegLeaves = 12'h058;
  localparam logic [11:0] RegField = 12'h05c;
  localparam logic [11:0] RegWidth = 12'h060;
  localparam logic [11:0] RegAlpha = 12'h064;
  localparam logic [11:0] RegFullRoundsFirst = 12'h068;
  localparam logic [11:0] RegFullRoundsLast = 12'h06c;
  localparam logic [11:0] RegPartialKind = 12'h070;
  localparam logic [11:0] RegDigestWords = 12'h074;
  localparam logic [11:0] RegInputMap0 = 12'h078;
  localparam logic [11:0] RegInputMap1 = 12'h07c;
  localparam logic [11:0] RegDigestMap0 = 12'h080;
  localparam logic [11:0] RegDigestMap1 = 12'h084;
  localparam logic [11:0] RegPartialRounds0 = 12'h088;
  localparam logic [11:0] RegPartialRounds1 = 12'h08c;
  localparam logic [11:0] RegPartialRounds2 = 12'h090;
  localparam logic [11:0] RegPartialRounds3 = 12'h094;
  localparam logic [11:0] RegPartialRounds4 = 12'h098;
  localparam logic [11:0] RegPartialRounds5 = 12'h09c;
  localparam logic [11:0] RegPartialRounds6 = 12'h0a0;
  localparam logic [11:0] RegPartialRounds7 = 12'h0a4;
  localparam logic [11:0] RegRadixSquared0 = 12'h0c0;
  localparam logic [11:0] RegRadixSquared1 = 12'h0c4;
  localparam logic [11:0] RegRadixSquared2 = 12'h0c8;
  localparam logic [11:0] RegRadixSquared3 = 12'h0cc;
  localparam logic [11:0] RegRadixSquared4 = 12'h0d0;
  localparam logic [11:0] RegRadixSquared5 = 12'h0d4;
  localparam logic [11:0] RegRadixSquared6 = 12'h0d8;
  localparam logic [11:0] RegRadixSquared7 = 12'h0dc;
  localparam logic [11:0] RegConstantData0 = 12'h100;
  localparam logic [11:0] RegConstantData1 = 12'h104;
  localparam logic [11:0] RegConstantData2 = 12'h108;
  localparam logic [11:0] RegConstantData3 = 12'h10c;
  localparam logic [11:0] RegConstantData4 = 12'h110;
  localparam logic [11:0] RegConstantData5 = 12'h114;
  localparam logic [11:0] RegConstantData6 = 12'h118;
  localparam logic [11:0] RegConstantData7 = 12'h11c;
  localparam logic [11:0] RegConstantAddress = 12'h120;
  localparam logic [11:0] RegCycles = 12'h200;
  localparam logic [11:0] RegCycleFirstIn = 12'h208;
  localparam logic [11:0] RegCycleLastIn = 12'h210;
  localparam logic [11:0] RegCycleFirstOut = 12'h218;
  localparam logic [11:0] RegCycleLastOut = 12'h220;
  localparam logic [11:0] RegStallIn = 12'h228;
  localparam logic [11:0] RegStallOut = 12'h230;
  localparam logic [11:0] RegLeafBusyFullLast = 12'h238;
  localparam logic [11:0] RegLeafHashes = 12'h240;
  localparam logic [11:0] RegLeafBusyFull = 12'h248;
  localparam logic [11:0] RegLeafBusyPartial1 = 12'h250;
  localparam logic [11:0] RegLeafBusyPartial2 = 12'h258;
  localparam logic [11:0] RegLeafBusyPartial3 = 12'h260;
  localparam logic [11:0] RegLeafBusyPartial4 = 12'h268;
  localparam logic [11:0] RegLeafBusyPartial5 = 12'h270;
  localparam logic [11:0] RegLeafBusyPartial6 = 12'h278;
  localparam logic [11:0] RegRootHashes = 12'h280;
  localparam logic [11:0] RegRootBusyFull = 12'h288;
  localparam logic [11:0] RegRootBusyPartial1 = 12'h290;
  localparam logic [11:0] RegRootBusyPartial2 = 12'h298;
  localparam logic [11:0] RegRootBusyPartial3 = 12'h2a0;
  localparam logic [11:0] RegRootBusyPartial4 = 12'h2a8;
  localparam logic [11:0] RegRootBusyPartial5 = 12'h2b0;
  localparam logic [11:0] RegRootBusyPartial6 = 12'h2b8;
  localparam logic [11:0] RegRootBusyFullLast = 12'h2c0;

  // Fields of CAPS_ENGINE.
  // Number of full-round sub-engines of each hash engine.
  localparam int unsigned CapsEngineNumFullLsb = 0;
  localparam int unsigned CapsEngineNumFullWidth = 4;
  // Number of partial-round sub-engines of each hash engine, at most 6.
  localparam int unsigned CapsEngineNumPartialLsb = 4;
  localparam int unsigned CapsEngineNumPartialWidth = 4;
  // Field elements a sub-engine takes in a cycle.
  localparam int unsigned CapsEngineLanesLsb = 8;
  localparam int unsigned CapsEngineLanesWidth = 4;
  // Cycles a state of three elements needs for one round x^5 of a full-round sub-engine.
  localparam int unsigned CapsEngineLoopCyclesFullLsb = 12;
  localparam int unsigned CapsEngineLoopCyclesFullWidth = 8;
  // Cycles a state of three elements needs for one round x^5 of a partial-round sub-engine.
  localparam int unsigned CapsEngineLoopCyclesPartialLsb = 20;
  localparam int unsigned CapsEngineLoopCyclesPartialWidth = 8;

  // Fields of CAPS_DEPTH.
  // Entries of each matrix memory of a full-round sub-engine, for the MDS matrix, the pre-sparse
  // matrix and the partial rounds it runs.
  localparam int unsigned CapsDepthMatrixDepthLsb = 0;
  localparam int unsigned CapsDepthMatrixDepthWidth = 10;
  // Entries of each round constant memory of a full-round sub-engine, one for each beat of each of
  // its rounds.
  localparam int unsigned CapsDepthConstantDepthLsb = 10;
  localparam int unsigned CapsDepthConstantDepthWidth = 10;
  // Entries of each memory of a partial-round sub-engine, one for each beat of each of its rounds.
  localparam int unsigned CapsDepthPartialDepthLsb = 20;
  localparam int unsigned CapsDepthPartialDepthWidth = 10;

  // Fields of CAPS_TREE.
  // Largest tree height: the chip takes up to 2^MaxHeight leaves.
  localparam int unsigned CapsTreeMaxHeightLsb = 0;
  localparam int unsigned CapsTreeMaxHeightWidth = 5;
  // Base-2 logarithm of the 256-bit words of the leaf hash buffer.
  localparam int unsigned CapsTreeLog2LeafBufferLsb = 8;
  localparam int unsigned CapsTreeLog2LeafBufferWidth = 5;
  // Base-2 logarithm of the 256-bit words of the root hash buffer.
  localparam int unsigned CapsTreeLog2RootBufferLsb = 16;
  localparam int unsigned CapsTreeLog2RootBufferWidth = 5;
  // Base-2 logarithm of the 256-bit words of the memory of standard-tree roots (HIDM).
  localparam int unsigned CapsTreeLog2HidmLsb = 24;
  localparam int unsigned CapsTreeLog2HidmWidth = 5;

  // Fields of CAPS_FIELD.
  // The chip has the Goldilocks mode: FIELD may be 1.
  localparam int unsigned CapsFieldGoldilocksBit = 0;
  // The large prime is loaded at run time: PRIME can be written and RADIX_SQUARED exists.
  localparam int unsigned CapsFieldRuntimeModulusBit = 1;
  // Base-2 logarithm of the Montgomery radix R of the large prime.
  localparam int unsigned CapsFieldMontgomeryBitsLsb = 8;
  localparam int unsigned CapsFieldMontgomeryBitsWidth = 9;

  // Fields of CONTROL.
  // 1 starts a run.
  localparam int unsigned ControlStartBit = 0;
  // 1 clears STATUS.done, the error and the counters, and aborts a run: the machine is flushed, and
  // idle when STATUS.busy reads 0.
  localparam int unsigned ControlClearBit = 1;

  // Fields of STATUS.
  // A run or a flush is in progress.
  localparam int unsigned StatusBusyBit = 0;
  // The last run is complete: its last word was taken from the data output.
  localparam int unsigned StatusDoneBit = 1;
  // ERROR holds a code.
  localparam int unsigned StatusErrorBit = 2;

  // Fields of MODE.
  // 0: every input word is a leaf. 1: every ARITY input words are hashed into a leaf.
  localparam int unsigned ModeLeafKindBit = 0;
  // 0: the root. 1: the digest of every leaf, in order, and no tree.
  localparam int unsigned ModeOutputBit = 1;

  // Fields of CONSTANT_ADDRESS.
  // Index inside the bank.
  localparam int unsigned ConstantAddressIndexLsb = 0;
  localparam int unsigned ConstantAddressIndexWidth = 8;
  // Bank of the sub-engine.
  localparam int unsigned ConstantAddressBankLsb = 8;
  localparam int unsigned ConstantAddressBankWidth = 8;
  // 0: first full-round sub-engine; 1 to 6: partial-round sub-engine; 7: second full-round
  // sub-engine; 15: initial vector.
  localparam int unsigned ConstantAddressSubEngineLsb = 16;
  localparam int unsigned ConstantAddressSubEngineWidth = 4;
  // Which hash engines take it: bit 0 the leaf hash engine, bit 1 the root hash engine.
  localparam int unsigned ConstantAddressEngineMaskLsb = 20;
  localparam int unsigned ConstantAddressEngineMaskWidth = 2;

  // Codes of ERROR.
  // No error since the last clear.
  localparam logic [7:0] ErrorNone = 8'd0;
  // Start with an illegal configuration. Nothing was started.
  localparam logic [7:0] ErrorIllegalConfiguration = 8'd1;
  // Write of configuration or constants during a run. Nothing was changed.
  localparam logic [7:0] ErrorWriteWhileRunning = 8'd2;
  // An input element is not below the prime. The run's output is void.
  localparam logic [7:0] ErrorElementNotBelowPrime = 8'd3;
  // Request for an address that has no register, or write to a read-only one.
  localparam logic [7:0] ErrorUnknownRegister = 8'd4;
  // Start during a run. The run in progress goes on.
  localparam logic [7:0] ErrorStartWhileRunning = 8'd5;
  // Constant for a sub-engine, bank or index that does not exist. Nothing was written.
  localparam logic [7:0] ErrorIllegalConstantAddress = 8'd6;

endpackage

/* verilator lint_on UNUSEDPARAM */
