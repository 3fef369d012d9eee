// Copyright AcclMT contributors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//
// Register map of acclmt_core, its buses and its DMA: byte addresses, fields and error codes.
//
// Generated from sim-rs/driver/src/registers.rs; do not edit. Regenerate with
//   UPDATE_REGISTERS=1 cargo test -p acclmt-driver registers

// A host sees every register; the hardware does not need every name of them.
/* verilator lint_off UNUSEDPARAM */

package acclmt_reg_pkg;

  localparam logic [31:0] IdValue = 32'h41434d54;
  localparam logic [31:0] VersionValue = 32'h00001000;
  localparam logic [31:0] BusVersionValue = 32'h00000100;
  localparam logic [31:0] DmaVersionValue = 32'h00000100;

  // Byte addresses. A counter has 64 bits: its high word is 4 bytes on.
  localparam logic [11:0] RegId = 12'h000;
  localparam logic [11:0] RegVersion = 12'h004;
  localparam logic [11:0] RegCapsEngine = 12'h008;
  localparam logic [11:0] RegCapsDepth = 12'h00c;
  localparam logic [11:0] RegCapsTree = 12'h010;
  localparam logic [11:0] RegCapsField = 12'h014;
  localparam logic [11:0] RegCapsPool = 12'h018;
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
  localparam logic [11:0] RegTopLevel = 12'h054;
  localparam logic [11:0] RegLeaves = 12'h058;
  localparam logic [11:0] RegField = 12'h05c;
  localparam logic [11:0] RegEmitLevels = 12'h060;
  localparam logic [11:0] RegRowBlocks = 12'h064;
  localparam logic [11:0] RegRowGroup = 12'h068;
  localparam logic [11:0] RegLastInputWords = 12'h06c;
  localparam logic [11:0] RegLastInputMap0 = 12'h070;
  localparam logic [11:0] RegLastInputMap1 = 12'h074;
  localparam logic [11:0] RegLastInputMap2 = 12'h078;
  localparam logic [11:0] RegLastInputMap3 = 12'h07c;
  localparam logic [11:0] RegWindowFirst = 12'h080;
  localparam logic [11:0] RegWindowLast = 12'h084;
  localparam logic [11:0] RegLeavesHigh = 12'h088;
  localparam logic [11:0] RegErrorInfoHigh = 12'h08c;
  localparam logic [11:0] RegRoles = 12'h090;
  localparam logic [11:0] RegInterruptStatus = 12'h094;
  localparam logic [11:0] RegInterruptEnable = 12'h098;
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
  localparam logic [11:0] RegConstantChecksum = 12'h124;
  localparam logic [11:0] RegLeafInputWords = 12'h140;
  localparam logic [11:0] RegLeafWidth = 12'h144;
  localparam logic [11:0] RegLeafAlpha = 12'h148;
  localparam logic [11:0] RegLeafPasses = 12'h14c;
  localparam logic [11:0] RegLeafRecurrence = 12'h150;
  localparam logic [11:0] RegLeafDigestWords = 12'h154;
  localparam logic [11:0] RegLeafInputMap0 = 12'h158;
  localparam logic [11:0] RegLeafInputMap1 = 12'h15c;
  localparam logic [11:0] RegLeafInputMap2 = 12'h160;
  localparam logic [11:0] RegLeafInputMap3 = 12'h164;
  localparam logic [11:0] RegLeafDigestMap0 = 12'h168;
  localparam logic [11:0] RegLeafDigestMap1 = 12'h16c;
  localparam logic [11:0] RegLeafDigestMap2 = 12'h170;
  localparam logic [11:0] RegLeafDigestMap3 = 12'h174;
  localparam logic [11:0] RegLeafPartialRounds1 = 12'h178;
  localparam logic [11:0] RegLeafPartialRounds2 = 12'h17c;
  localparam logic [11:0] RegLeafPartialRounds3 = 12'h180;
  localparam logic [11:0] RegLeafPartialRounds4 = 12'h184;
  localparam logic [11:0] RegLeafPartialRounds5 = 12'h188;
  localparam logic [11:0] RegLeafPartialRounds6 = 12'h18c;
  localparam logic [11:0] RegLeafPartialBase = 12'h190;
  localparam logic [11:0] RegRootInputWords = 12'h1a0;
  localparam logic [11:0] RegRootWidth = 12'h1a4;
  localparam logic [11:0] RegRootAlpha = 12'h1a8;
  localparam logic [11:0] RegRootPasses = 12'h1ac;
  localparam logic [11:0] RegRootRecurrence = 12'h1b0;
  localparam logic [11:0] RegRootDigestWords = 12'h1b4;
  localparam logic [11:0] RegRootInputMap0 = 12'h1b8;
  localparam logic [11:0] RegRootInputMap1 = 12'h1bc;
  localparam logic [11:0] RegRootInputMap2 = 12'h1c0;
  localparam logic [11:0] RegRootInputMap3 = 12'h1c4;
  localparam logic [11:0] RegRootDigestMap0 = 12'h1c8;
  localparam logic [11:0] RegRootDigestMap1 = 12'h1cc;
  localparam logic [11:0] RegRootDigestMap2 = 12'h1d0;
  localparam logic [11:0] RegRootDigestMap3 = 12'h1d4;
  localparam logic [11:0] RegRootPartialRounds1 = 12'h1d8;
  localparam logic [11:0] RegRootPartialRounds2 = 12'h1dc;
  localparam logic [11:0] RegRootPartialRounds3 = 12'h1e0;
  localparam logic [11:0] RegRootPartialRounds4 = 12'h1e4;
  localparam logic [11:0] RegRootPartialRounds5 = 12'h1e8;
  localparam logic [11:0] RegRootPartialRounds6 = 12'h1ec;
  localparam logic [11:0] RegRootPartialBase = 12'h1f0;
  localparam logic [11:0] RegCycles = 12'h200;
  localparam logic [11:0] RegCycleFirstIn = 12'h208;
  localparam logic [11:0] RegCycleLastIn = 12'h210;
  localparam logic [11:0] RegCycleFirstLeaf = 12'h218;
  localparam logic [11:0] RegCycleLastLeaf = 12'h220;
  localparam logic [11:0] RegCycleFirstOut = 12'h228;
  localparam logic [11:0] RegCycleLastOut = 12'h230;
  localparam logic [11:0] RegStallIn = 12'h238;
  localparam logic [11:0] RegMissingIn = 12'h240;
  localparam logic [11:0] RegStallLeaf = 12'h248;
  localparam logic [11:0] RegStarvedRoot = 12'h250;
  localparam logic [11:0] RegStallOut = 12'h258;
  localparam logic [11:0] RegWindowCycles = 12'h260;
  localparam logic [11:0] RegLeafHashes = 12'h268;
  localparam logic [11:0] RegLeafBusyFull = 12'h270;
  localparam logic [11:0] RegLeafBusyPartial1 = 12'h278;
  localparam logic [11:0] RegLeafBusyPartial2 = 12'h280;
  localparam logic [11:0] RegLeafBusyPartial3 = 12'h288;
  localparam logic [11:0] RegLeafBusyPartial4 = 12'h290;
  localparam logic [11:0] RegLeafBusyPartial5 = 12'h298;
  localparam logic [11:0] RegLeafBusyPartial6 = 12'h2a0;
  localparam logic [11:0] RegLeafBusyFullLast = 12'h2a8;
  localparam logic [11:0] RegRootHashes = 12'h2b0;
  localparam logic [11:0] RegRootBusyFull = 12'h2b8;
  localparam logic [11:0] RegRootBusyPartial1 = 12'h2c0;
  localparam logic [11:0] RegRootBusyPartial2 = 12'h2c8;
  localparam logic [11:0] RegRootBusyPartial3 = 12'h2d0;
  localparam logic [11:0] RegRootBusyPartial4 = 12'h2d8;
  localparam logic [11:0] RegRootBusyPartial5 = 12'h2e0;
  localparam logic [11:0] RegRootBusyPartial6 = 12'h2e8;
  localparam logic [11:0] RegRootBusyFullLast = 12'h2f0;
  localparam logic [11:0] RegHighWater = 12'h2f8;
  localparam logic [11:0] RegLevelTable0 = 12'h400;
  localparam logic [11:0] RegLevelTable1 = 12'h404;
  localparam logic [11:0] RegLevelTable2 = 12'h408;
  localparam logic [11:0] RegLevelTable3 = 12'h40c;
  localparam logic [11:0] RegLevelTable4 = 12'h410;
  localparam logic [11:0] RegLevelTable5 = 12'h414;
  localparam logic [11:0] RegLevelTable6 = 12'h418;
  localparam logic [11:0] RegLevelTable7 = 12'h41c;
  localparam logic [11:0] RegLevelTable8 = 12'h420;
  localparam logic [11:0] RegLevelTable9 = 12'h424;
  localparam logic [11:0] RegLevelTable10 = 12'h428;
  localparam logic [11:0] RegLevelTable11 = 12'h42c;
  localparam logic [11:0] RegLevelTable12 = 12'h430;
  localparam logic [11:0] RegLevelTable13 = 12'h434;
  localparam logic [11:0] RegLevelTable14 = 12'h438;
  localparam logic [11:0] RegLevelTable15 = 12'h43c;
  localparam logic [11:0] RegLevelTable16 = 12'h440;
  localparam logic [11:0] RegLevelTable17 = 12'h444;
  localparam logic [11:0] RegLevelTable18 = 12'h448;
  localparam logic [11:0] RegLevelTable19 = 12'h44c;
  localparam logic [11:0] RegLevelTable20 = 12'h450;
  localparam logic [11:0] RegLevelTable21 = 12'h454;
  localparam logic [11:0] RegLevelTable22 = 12'h458;
  localparam logic [11:0] RegLevelTable23 = 12'h45c;
  localparam logic [11:0] RegLevelTable24 = 12'h460;
  localparam logic [11:0] RegLevelTable25 = 12'h464;
  localparam logic [11:0] RegLevelTable26 = 12'h468;
  localparam logic [11:0] RegLevelTable27 = 12'h46c;
  localparam logic [11:0] RegLevelTable28 = 12'h470;
  localparam logic [11:0] RegLevelTable29 = 12'h474;
  localparam logic [11:0] RegLevelTable30 = 12'h478;
  localparam logic [11:0] RegLevelTable31 = 12'h47c;
  localparam logic [11:0] RegLevelTable32 = 12'h480;
  localparam logic [11:0] RegEngine2Hashes = 12'h500;
  localparam logic [11:0] RegEngine2BusyFull = 12'h508;
  localparam logic [11:0] RegEngine2BusyPartial1 = 12'h510;
  localparam logic [11:0] RegEngine2BusyPartial2 = 12'h518;
  localparam logic [11:0] RegEngine2BusyPartial3 = 12'h520;
  localparam logic [11:0] RegEngine2BusyPartial4 = 12'h528;
  localparam logic [11:0] RegEngine2BusyPartial5 = 12'h530;
  localparam logic [11:0] RegEngine2BusyPartial6 = 12'h538;
  localparam logic [11:0] RegEngine2BusyFullLast = 12'h540;
  localparam logic [11:0] RegEngine3Hashes = 12'h548;
  localparam logic [11:0] RegEngine3BusyFull = 12'h550;
  localparam logic [11:0] RegEngine3BusyPartial1 = 12'h558;
  localparam logic [11:0] RegEngine3BusyPartial2 = 12'h560;
  localparam logic [11:0] RegEngine3BusyPartial3 = 12'h568;
  localparam logic [11:0] RegEngine3BusyPartial4 = 12'h570;
  localparam logic [11:0] RegEngine3BusyPartial5 = 12'h578;
  localparam logic [11:0] RegEngine3BusyPartial6 = 12'h580;
  localparam logic [11:0] RegEngine3BusyFullLast = 12'h588;
  localparam logic [11:0] RegEngine4Hashes = 12'h590;
  localparam logic [11:0] RegEngine4BusyFull = 12'h598;
  localparam logic [11:0] RegEngine4BusyPartial1 = 12'h5a0;
  localparam logic [11:0] RegEngine4BusyPartial2 = 12'h5a8;
  localparam logic [11:0] RegEngine4BusyPartial3 = 12'h5b0;
  localparam logic [11:0] RegEngine4BusyPartial4 = 12'h5b8;
  localparam logic [11:0] RegEngine4BusyPartial5 = 12'h5c0;
  localparam logic [11:0] RegEngine4BusyPartial6 = 12'h5c8;
  localparam logic [11:0] RegEngine4BusyFullLast = 12'h5d0;
  localparam logic [11:0] RegEngine5Hashes = 12'h5d8;
  localparam logic [11:0] RegEngine5BusyFull = 12'h5e0;
  localparam logic [11:0] RegEngine5BusyPartial1 = 12'h5e8;
  localparam logic [11:0] RegEngine5BusyPartial2 = 12'h5f0;
  localparam logic [11:0] RegEngine5BusyPartial3 = 12'h5f8;
  localparam logic [11:0] RegEngine5BusyPartial4 = 12'h600;
  localparam logic [11:0] RegEngine5BusyPartial5 = 12'h608;
  localparam logic [11:0] RegEngine5BusyPartial6 = 12'h610;
  localparam logic [11:0] RegEngine5BusyFullLast = 12'h618;
  localparam logic [11:0] RegEngine6Hashes = 12'h620;
  localparam logic [11:0] RegEngine6BusyFull = 12'h628;
  localparam logic [11:0] RegEngine6BusyPartial1 = 12'h630;
  localparam logic [11:0] RegEngine6BusyPartial2 = 12'h638;
  localparam logic [11:0] RegEngine6BusyPartial3 = 12'h640;
  localparam logic [11:0] RegEngine6BusyPartial4 = 12'h648;
  localparam logic [11:0] RegEngine6BusyPartial5 = 12'h650;
  localparam logic [11:0] RegEngine6BusyPartial6 = 12'h658;
  localparam logic [11:0] RegEngine6BusyFullLast = 12'h660;
  localparam logic [11:0] RegEngine7Hashes = 12'h668;
  localparam logic [11:0] RegEngine7BusyFull = 12'h670;
  localparam logic [11:0] RegEngine7BusyPartial1 = 12'h678;
  localparam logic [11:0] RegEngine7BusyPartial2 = 12'h680;
  localparam logic [11:0] RegEngine7BusyPartial3 = 12'h688;
  localparam logic [11:0] RegEngine7BusyPartial4 = 12'h690;
  localparam logic [11:0] RegEngine7BusyPartial5 = 12'h698;
  localparam logic [11:0] RegEngine7BusyPartial6 = 12'h6a0;
  localparam logic [11:0] RegEngine7BusyFullLast = 12'h6a8;
  localparam logic [11:0] RegTopInputWords = 12'h740;
  localparam logic [11:0] RegTopWidth = 12'h744;
  localparam logic [11:0] RegTopAlpha = 12'h748;
  localparam logic [11:0] RegTopPasses = 12'h74c;
  localparam logic [11:0] RegTopRecurrence = 12'h750;
  localparam logic [11:0] RegTopDigestWords = 12'h754;
  localparam logic [11:0] RegTopInputMap0 = 12'h758;
  localparam logic [11:0] RegTopInputMap1 = 12'h75c;
  localparam logic [11:0] RegTopInputMap2 = 12'h760;
  localparam logic [11:0] RegTopInputMap3 = 12'h764;
  localparam logic [11:0] RegTopDigestMap0 = 12'h768;
  localparam logic [11:0] RegTopDigestMap1 = 12'h76c;
  localparam logic [11:0] RegTopDigestMap2 = 12'h770;
  localparam logic [11:0] RegTopDigestMap3 = 12'h774;
  localparam logic [11:0] RegTopPartialRounds1 = 12'h778;
  localparam logic [11:0] RegTopPartialRounds2 = 12'h77c;
  localparam logic [11:0] RegTopPartialRounds3 = 12'h780;
  localparam logic [11:0] RegTopPartialRounds4 = 12'h784;
  localparam logic [11:0] RegTopPartialRounds5 = 12'h788;
  localparam logic [11:0] RegTopPartialRounds6 = 12'h78c;
  localparam logic [11:0] RegTopPartialBase = 12'h790;
  localparam logic [11:0] RegBusVersion = 12'h800;
  localparam logic [11:0] RegStreamState = 12'h804;
  localparam logic [11:0] RegStreamControl = 12'h808;
  localparam logic [11:0] RegStreamEvents = 12'h80c;
  localparam logic [11:0] RegStreamEnable = 12'h810;
  localparam logic [11:0] RegDmaVersion = 12'h900;
  localparam logic [11:0] RegDmaCaps = 12'h904;
  localparam logic [11:0] RegDmaControl = 12'h908;
  localparam logic [11:0] RegDmaStatus = 12'h90c;
  localparam logic [11:0] RegDmaRingBase0 = 12'h910;
  localparam logic [11:0] RegDmaRingBase1 = 12'h914;
  localparam logic [11:0] RegDmaRingSize = 12'h918;
  localparam logic [11:0] RegDmaTail = 12'h91c;
  localparam logic [11:0] RegDmaHead = 12'h920;
  localparam logic [11:0] RegDmaEvents = 12'h924;
  localparam logic [11:0] RegDmaEnable = 12'h928;
  localparam logic [11:0] RegDmaError = 12'h92c;
  localparam logic [11:0] RegDmaErrorInfo = 12'h930;

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
  // Base-2 logarithm of the beats that the output buffer of a sub-engine holds; ROW_GROUP depends
  // on it.
  localparam int unsigned CapsEngineLog2PlacesLsb = 28;
  localparam int unsigned CapsEngineLog2PlacesWidth = 4;
  // All of them.
  localparam logic [31:0] CapsEngineMask = 32'hffffffff;

  // Fields of CAPS_DEPTH.
  // Entries of each matrix memory of a full-round sub-engine, for the MDS matrix and those before
  // and after the recurrence.
  localparam int unsigned CapsDepthMatrixDepthLsb = 0;
  localparam int unsigned CapsDepthMatrixDepthWidth = 10;
  // Entries of each round constant memory of a full-round sub-engine, one for each beat of each of
  // its passes, and of one more where the last full round is short.
  localparam int unsigned CapsDepthConstantDepthLsb = 10;
  localparam int unsigned CapsDepthConstantDepthWidth = 10;
  // Entries of each memory of a partial-round sub-engine, one for each beat of each of its rounds.
  localparam int unsigned CapsDepthPartialDepthLsb = 20;
  localparam int unsigned CapsDepthPartialDepthWidth = 10;
  // Whether full-round sub-engines can store the elements of a pass.
  localparam int unsigned CapsDepthStoreBit = 30;
  // Whether full-round sub-engines make layers of small integers by adders, in Goldilocks mode.
  localparam int unsigned CapsDepthAddersBit = 31;
  // All of them.
  localparam logic [31:0] CapsDepthMask = 32'hffffffff;

  // Fields of CAPS_TREE.
  // A tree has at most so many levels above its leaves. The level table has an entry more.
  localparam int unsigned CapsTreeMaxHeightLsb = 0;
  localparam int unsigned CapsTreeMaxHeightWidth = 6;
  // Base-2 logarithm of the 256-bit words of the node memory.
  localparam int unsigned CapsTreeLog2NodeWordsLsb = 8;
  localparam int unsigned CapsTreeLog2NodeWordsWidth = 5;
  // All of them.
  localparam logic [31:0] CapsTreeMask = 32'h00001f3f;

  // Fields of CAPS_FIELD.
  // The chip has the Goldilocks mode: FIELD may be 1.
  localparam int unsigned CapsFieldGoldilocksBit = 0;
  // The large prime is loaded at run time: PRIME can be written and RADIX_SQUARED exists.
  localparam int unsigned CapsFieldRuntimeModulusBit = 1;
  // Base-2 logarithm of the Montgomery radix R of the large prime.
  localparam int unsigned CapsFieldMontgomeryBitsLsb = 8;
  localparam int unsigned CapsFieldMontgomeryBitsWidth = 9;
  // All of them.
  localparam logic [31:0] CapsFieldMask = 32'h0001ff03;

  // Fields of CAPS_POOL.
  // Number of hash engines, 1 to 8.
  localparam int unsigned CapsPoolNumEnginesLsb = 0;
  localparam int unsigned CapsPoolNumEnginesWidth = 4;
  // Memories keep parity: a bit that flips in one is noticed when its word is read (MemoryFault).
  localparam int unsigned CapsPoolMemoryParityBit = 31;
  // All of them.
  localparam logic [31:0] CapsPoolMask = 32'h8000000f;

  // Fields of CONTROL.
  // 1 starts a run. Refused while STATUS.Busy is 1, and when a register of the configuration holds
  // an illegal value: see STATUS.StartRefused.
  localparam int unsigned ControlStartBit = 0;
  // 1 clears STATUS.Done, STATUS.StartRefused, the error, INTERRUPT_STATUS and the counters, and
  // aborts a run: the machine is flushed, and idle when STATUS.Busy reads 0. Refused during a
  // zeroisation.
  localparam int unsigned ControlClearBit = 1;
  // 1 clears, and overwrites with zero what the chip holds of data and constants: see Zeroisation.
  // Refused while STATUS.Busy is 1. STATUS.Busy is 1 until it is done, and then STATUS.Zeroised is;
  // it cannot be aborted.
  localparam int unsigned ControlZeroiseBit = 2;
  // All of them.
  localparam logic [31:0] ControlMask = 32'h00000007;

  // Fields of STATUS.
  // A run or a zeroisation is in progress.
  localparam int unsigned StatusBusyBit = 0;
  // The last run that started is complete: its last word was taken from the data output.
  localparam int unsigned StatusDoneBit = 1;
  // ERROR holds a code.
  localparam int unsigned StatusErrorBit = 2;
  // The last start was refused. Set by a refused start, whatever ERROR holds: at once during a run
  // or with an illegal register, and in the cycle in which Busy falls when the level table does not
  // fit. Cleared by a start that is not refused at once, by a clear, and by a zeroisation as it
  // begins.
  localparam int unsigned StatusStartRefusedBit = 3;
  // A zeroisation is complete, and since then no run has started and neither configuration nor a
  // constant was written. 0 after a reset.
  localparam int unsigned StatusZeroisedBit = 4;
  // All of them.
  localparam logic [31:0] StatusMask = 32'h0000001f;

  // Fields of MODE.
  // 0: every input word is a leaf. 1: a leaf is the digest of a row of ROW_BLOCKS blocks.
  localparam int unsigned ModeLeafKindBit = 0;
  // 1: the last group of siblings of a level may lack some, which then have the value of an empty
  // sub-tree of their level. 0: that is error 7.
  localparam int unsigned ModePadBit = 1;
  // How the elements of the second and later blocks of a row are absorbed. 0: they are added to
  // those of the state. 1: they take their places.
  localparam int unsigned ModeOverwriteBit = 2;
  // Elements of the last block of a row, where it is not the first one, from this number on take
  // the places of those of the state, those before are added. 0: all are absorbed as in other
  // blocks. Legal: up to 24, 0 with Overwrite.
  localparam int unsigned ModeCloseFromLsb = 8;
  localparam int unsigned ModeCloseFromWidth = 5;
  // All of them.
  localparam logic [31:0] ModeMask = 32'h00001f07;

  // Fields of ROLES.
  // Bit e: hash engine e hashes rows into leaves. At least one does in a run that hashes leaves.
  localparam int unsigned RolesRowsLsb = 0;
  localparam int unsigned RolesRowsWidth = 8;
  // Bit e: hash engine e hashes groups of siblings into nodes. At least one does in a run with a
  // tree.
  localparam int unsigned RolesNodesLsb = 8;
  localparam int unsigned RolesNodesWidth = 8;
  // Most nodes that are inside of a hash engine at a time; 0: as many as it takes. Rows of several
  // blocks wait inside for words that come later, and need to know what room nodes leave them.
  localparam int unsigned RolesNodeLimitLsb = 16;
  localparam int unsigned RolesNodeLimitWidth = 8;
  // All of them.
  localparam logic [31:0] RolesMask = 32'h00ffffff;

  // Fields of INTERRUPT_STATUS.
  // A run was completed.
  localparam int unsigned InterruptStatusDoneBit = 0;
  // Something of the table of error codes happened, be it registered in ERROR or not because
  // another error is there.
  localparam int unsigned InterruptStatusErrorBit = 1;
  // A zeroisation was completed.
  localparam int unsigned InterruptStatusZeroisedBit = 2;
  // All of them.
  localparam logic [31:0] InterruptStatusMask = 32'h00000007;

  // Fields of INTERRUPT_ENABLE.
  // A run was completed.
  localparam int unsigned InterruptEnableDoneBit = 0;
  // Something of the table of error codes happened, be it registered in ERROR or not because
  // another error is there.
  localparam int unsigned InterruptEnableErrorBit = 1;
  // A zeroisation was completed.
  localparam int unsigned InterruptEnableZeroisedBit = 2;
  // All of them.
  localparam logic [31:0] InterruptEnableMask = 32'h00000007;

  // Fields of CONSTANT_ADDRESS.
  // Index inside the bank.
  localparam int unsigned ConstantAddressIndexLsb = 0;
  localparam int unsigned ConstantAddressIndexWidth = 8;
  // Bank of the sub-engine.
  localparam int unsigned ConstantAddressBankLsb = 8;
  localparam int unsigned ConstantAddressBankWidth = 8;
  // 0: first full-round sub-engine; 1 to 6: partial-round sub-engine; 7: second full-round
  // sub-engine; 14: values of empty sub-trees, bank 0, index level, of the tree, whatever
  // EngineMask names; 15: initial vector, bank lane, index 8 set + beat, and for later blocks of a
  // row index 8 set + 4 + beat. Set 0 is that of rows, set 1 that of nodes.
  localparam int unsigned ConstantAddressSubEngineLsb = 16;
  localparam int unsigned ConstantAddressSubEngineWidth = 4;
  // Which hash engines take it: bit e hash engine e.
  localparam int unsigned ConstantAddressEngineMaskLsb = 20;
  localparam int unsigned ConstantAddressEngineMaskWidth = 8;
  // All of them.
  localparam logic [31:0] ConstantAddressMask = 32'h0fffffff;

  // Fields of LEAF_WIDTH.
  // Width t of the state in field elements. Legal: 2 to 12, or 2 to 24 in Goldilocks mode.
  localparam int unsigned LeafWidthElementsLsb = 0;
  localparam int unsigned LeafWidthElementsWidth = 5;
  // The last elements of the state, so many, stand beside the permutation: passes with S-boxes
  // leave them as they are. Legal: below Elements.
  localparam int unsigned LeafWidthBesideLsb = 8;
  localparam int unsigned LeafWidthBesideWidth = 5;
  // All of them.
  localparam logic [31:0] LeafWidthMask = 32'h00001f1f;

  // Fields of LEAF_PASSES.
  // Passes of its first visit to the full-round sub-engines, before the recurrence. At least 1.
  localparam int unsigned LeafPassesFirstLsb = 0;
  localparam int unsigned LeafPassesFirstWidth = 16;
  // Passes of its last visit, behind the recurrence. At least 1.
  localparam int unsigned LeafPassesLastLsb = 16;
  localparam int unsigned LeafPassesLastWidth = 16;
  // All of them.
  localparam logic [31:0] LeafPassesMask = 32'hffffffff;

  // Fields of LEAF_RECURRENCE.
  // Sums of a state that move up behind each round, below WIDTH. 0: there is no recurrence, and all
  // partial rounds are dense.
  localparam int unsigned LeafRecurrenceOrderLsb = 0;
  localparam int unsigned LeafRecurrenceOrderWidth = 5;
  // Whether the output of a round's S-box is added to the next element 0. Legal: 0 where Order is
  // 0.
  localparam int unsigned LeafRecurrenceOutputEntersBit = 8;
  // Whether the layers of the full-round sub-engines are made by adders, but for the last one
  // before the recurrence and the first one behind it. Legal: 0 where Order is 0, where a state has
  // more than 16 elements, with the large prime, and on a chip without adders.
  localparam int unsigned LeafRecurrenceAddersBit = 9;
  // All of them.
  localparam logic [31:0] LeafRecurrenceMask = 32'h0000031f;

  // Fields of ROOT_WIDTH.
  // Width t of the state in field elements. Legal: 2 to 12, or 2 to 24 in Goldilocks mode.
  localparam int unsigned RootWidthElementsLsb = 0;
  localparam int unsigned RootWidthElementsWidth = 5;
  // The last elements of the state, so many, stand beside the permutation: passes with S-boxes
  // leave them as they are. Legal: below Elements.
  localparam int unsigned RootWidthBesideLsb = 8;
  localparam int unsigned RootWidthBesideWidth = 5;
  // All of them.
  localparam logic [31:0] RootWidthMask = 32'h00001f1f;

  // Fields of ROOT_PASSES.
  // Passes of its first visit to the full-round sub-engines, before the recurrence. At least 1.
  localparam int unsigned RootPassesFirstLsb = 0;
  localparam int unsigned RootPassesFirstWidth = 16;
  // Passes of its last visit, behind the recurrence. At least 1.
  localparam int unsigned RootPassesLastLsb = 16;
  localparam int unsigned RootPassesLastWidth = 16;
  // All of them.
  localparam logic [31:0] RootPassesMask = 32'hffffffff;

  // Fields of ROOT_RECURRENCE.
  // Sums of a state that move up behind each round, below WIDTH. 0: there is no recurrence, and all
  // partial rounds are dense.
  localparam int unsigned RootRecurrenceOrderLsb = 0;
  localparam int unsigned RootRecurrenceOrderWidth = 5;
  // Whether the output of a round's S-box is added to the next element 0. Legal: 0 where Order is
  // 0.
  localparam int unsigned RootRecurrenceOutputEntersBit = 8;
  // Whether the layers of the full-round sub-engines are made by adders, but for the last one
  // before the recurrence and the first one behind it. Legal: 0 where Order is 0, where a state has
  // more than 16 elements, with the large prime, and on a chip without adders.
  localparam int unsigned RootRecurrenceAddersBit = 9;
  // All of them.
  localparam logic [31:0] RootRecurrenceMask = 32'h0000031f;

  // Fields of LEVEL_TABLE.
  // Groups of siblings that the queue of the level has room for, at least 1.
  localparam int unsigned LevelTableGroupsLsb = 0;
  localparam int unsigned LevelTableGroupsWidth = 16;
  // Parameter set with which the nodes of the level are hashed: 1 that of ROOT, 2 that of TOP, and
  // 0 that of LEAF where leaves are not hashed. Its input words are the arity of the level. The top
  // level is not hashed: there it is the room of a group alone.
  localparam int unsigned LevelTableSetLsb = 16;
  localparam int unsigned LevelTableSetWidth = 2;
  // All of them.
  localparam logic [31:0] LevelTableMask = 32'h0003ffff;

  // Fields of TOP_WIDTH.
  // Width t of the state in field elements. Legal: 2 to 12, or 2 to 24 in Goldilocks mode.
  localparam int unsigned TopWidthElementsLsb = 0;
  localparam int unsigned TopWidthElementsWidth = 5;
  // The last elements of the state, so many, stand beside the permutation: passes with S-boxes
  // leave them as they are. Legal: below Elements.
  localparam int unsigned TopWidthBesideLsb = 8;
  localparam int unsigned TopWidthBesideWidth = 5;
  // All of them.
  localparam logic [31:0] TopWidthMask = 32'h00001f1f;

  // Fields of TOP_PASSES.
  // Passes of its first visit to the full-round sub-engines, before the recurrence. At least 1.
  localparam int unsigned TopPassesFirstLsb = 0;
  localparam int unsigned TopPassesFirstWidth = 16;
  // Passes of its last visit, behind the recurrence. At least 1.
  localparam int unsigned TopPassesLastLsb = 16;
  localparam int unsigned TopPassesLastWidth = 16;
  // All of them.
  localparam logic [31:0] TopPassesMask = 32'hffffffff;

  // Fields of TOP_RECURRENCE.
  // Sums of a state that move up behind each round, below WIDTH. 0: there is no recurrence, and all
  // partial rounds are dense.
  localparam int unsigned TopRecurrenceOrderLsb = 0;
  localparam int unsigned TopRecurrenceOrderWidth = 5;
  // Whether the output of a round's S-box is added to the next element 0. Legal: 0 where Order is
  // 0.
  localparam int unsigned TopRecurrenceOutputEntersBit = 8;
  // Whether the layers of the full-round sub-engines are made by adders, but for the last one
  // before the recurrence and the first one behind it. Legal: 0 where Order is 0, where a state has
  // more than 16 elements, with the large prime, and on a chip without adders.
  localparam int unsigned TopRecurrenceAddersBit = 9;
  // All of them.
  localparam logic [31:0] TopRecurrenceMask = 32'h0000031f;

  // Fields of STREAM_STATE.
  // The input takes words for a run.
  localparam int unsigned StreamStateInputOpenBit = 0;
  // The input drops words up to the next one with TLAST.
  localparam int unsigned StreamStateDiscardingBit = 1;
  // A word of the output is on offer, or its packet has begun and not ended.
  localparam int unsigned StreamStateOutputOpenBit = 2;
  // All of them.
  localparam logic [31:0] StreamStateMask = 32'h00000007;

  // Fields of STREAM_CONTROL.
  // 1 drops words up to and with the next one with TLAST, 0 ends that. Reads 1 until it has ended.
  // A 1 is refused while STREAM_STATE.InputOpen is 1. A clear ends it.
  localparam int unsigned StreamControlDiscardBit = 0;
  // All of them.
  localparam logic [31:0] StreamControlMask = 32'h00000001;

  // Fields of STREAM_EVENTS.
  // The run needs a word behind the one with TLAST.
  localparam int unsigned StreamEventsEarlyLastBit = 0;
  // The run ended, and the word with TLAST had not been taken.
  localparam int unsigned StreamEventsLateLastBit = 1;
  // A word was taken whose TKEEP is not all ones.
  localparam int unsigned StreamEventsPartialWordBit = 2;
  // All of them.
  localparam logic [31:0] StreamEventsMask = 32'h00000007;

  // Fields of STREAM_ENABLE.
  // The run needs a word behind the one with TLAST.
  localparam int unsigned StreamEnableEarlyLastBit = 0;
  // The run ended, and the word with TLAST had not been taken.
  localparam int unsigned StreamEnableLateLastBit = 1;
  // A word was taken whose TKEEP is not all ones.
  localparam int unsigned StreamEnablePartialWordBit = 2;
  // All of them.
  localparam logic [31:0] StreamEnableMask = 32'h00000007;

  // Fields of DMA_CAPS.
  // Base-2 logarithm of the bytes of a beat of the AXI4 master: 5 or 6.
  localparam int unsigned DmaCapsLog2BeatBytesLsb = 0;
  localparam int unsigned DmaCapsLog2BeatBytesWidth = 4;
  // Base-2 logarithm of the bytes of the longest burst, at most 12. No burst crosses a multiple of
  // it.
  localparam int unsigned DmaCapsLog2BurstBytesLsb = 4;
  localparam int unsigned DmaCapsLog2BurstBytesWidth = 4;
  // Bursts of input that can be on their way, for all of which there is room.
  localparam int unsigned DmaCapsReadBurstsLsb = 8;
  localparam int unsigned DmaCapsReadBurstsWidth = 8;
  // Largest legal value of DMA_RING_SIZE.
  localparam int unsigned DmaCapsMaxLog2RingLsb = 16;
  localparam int unsigned DmaCapsMaxLog2RingWidth = 5;
  // All of them.
  localparam logic [31:0] DmaCapsMask = 32'h001fffff;

  // Fields of DMA_CONTROL.
  // The ring is used. A change from 0 to 1 sets DMA_TAIL, DMA_HEAD, DMA_ERROR and DMA_ERROR_INFO to
  // 0; it is refused while DMA_STATUS.Busy is 1, and if the ring would reach beyond 2^64. A change
  // from 1 to 0 ends a run that is under way, as a clear does.
  localparam int unsigned DmaControlEnableBit = 0;
  // 1 goes on with descriptor DMA_HEAD after a stop. Reads 0. Refused while DMA_STATUS.Stopped is
  // 0, and without a 1 in Enable.
  localparam int unsigned DmaControlResumeBit = 1;
  // All of them.
  localparam logic [31:0] DmaControlMask = 32'h00000003;

  // Fields of DMA_STATUS.
  // Descriptors are under way or waiting, or what was ended is not finished on the bus.
  localparam int unsigned DmaStatusBusyBit = 0;
  // The ring stands after the error in DMA_ERROR, which ended descriptor DMA_HEAD - 1.
  localparam int unsigned DmaStatusStoppedBit = 1;
  // All of them.
  localparam logic [31:0] DmaStatusMask = 32'h00000003;

  // Fields of DMA_EVENTS.
  // A descriptor with the flag Interrupt has ended without an error.
  localparam int unsigned DmaEventsDoneBit = 0;
  // An error has stopped the ring.
  localparam int unsigned DmaEventsStoppedBit = 1;
  // A write was refused by the DMA: of configuration while DMA_STATUS.Busy is 1, of a start, of
  // STREAM_CONTROL, or of a register of the DMA.
  localparam int unsigned DmaEventsRefusedBit = 2;
  // All of them.
  localparam logic [31:0] DmaEventsMask = 32'h00000007;

  // Fields of DMA_ENABLE.
  // A descriptor with the flag Interrupt has ended without an error.
  localparam int unsigned DmaEnableDoneBit = 0;
  // An error has stopped the ring.
  localparam int unsigned DmaEnableStoppedBit = 1;
  // A write was refused by the DMA: of configuration while DMA_STATUS.Busy is 1, of a start, of
  // STREAM_CONTROL, or of a register of the DMA.
  localparam int unsigned DmaEnableRefusedBit = 2;
  // All of them.
  localparam logic [31:0] DmaEnableMask = 32'h00000007;

  // Codes of ERROR.
  // No error since the last clear.
  localparam logic [7:0] ErrorNone = 8'd0;
  // Start with an illegal configuration. Nothing was started.
  localparam logic [7:0] ErrorIllegalConfiguration = 8'd1;
  // Write of configuration or constants during a run or a zeroisation. Nothing was changed.
  localparam logic [7:0] ErrorWriteWhileRunning = 8'd2;
  // An input element is not below the prime. The run's output is void.
  localparam logic [7:0] ErrorElementNotBelowPrime = 8'd3;
  // Request for an address that has no register, or write to a read-only one.
  localparam logic [7:0] ErrorUnknownRegister = 8'd4;
  // Start or zeroisation during a run, or any command during a zeroisation. What is under way goes
  // on.
  localparam logic [7:0] ErrorCommandWhileBusy = 8'd5;
  // Constant for a sub-engine, bank or index that does not exist, for no hash engine, or with a bit
  // set that no field has. Nothing was written.
  localparam logic [7:0] ErrorIllegalConstantAddress = 8'd6;
  // The leaves do not fill the tree, and MODE.Pad is 0. The run's output is void.
  localparam logic [7:0] ErrorIncompleteTree = 8'd7;
  // Write of a value with a bit set that no field has, or of several commands at once. Nothing was
  // changed.
  localparam logic [7:0] ErrorIllegalValue = 8'd8;
  // Start with a parameter set whose passes cannot run on a full-round sub-engine. Nothing was
  // started.
  localparam logic [7:0] ErrorIllegalProgram = 8'd9;
  // A word of a memory was read and its parity is wrong: a bit of it has changed since it was
  // written. The output of a run under way is void. Only where CAPS_POOL.MemoryParity is 1.
  localparam logic [7:0] ErrorMemoryFault = 8'd10;

  // Codes of DMA_ERROR.
  // The run is complete, and its output is in memory.
  localparam logic [7:0] DmaErrorNone = 8'd0;
  // The descriptor could not be read: the memory answered with an error. There is no record.
  localparam logic [7:0] DmaErrorDescriptorRead = 8'd1;
  // The address of the record is no multiple of 32. There is no record.
  localparam logic [7:0] DmaErrorRecordAddress = 8'd2;
  // A bit of the descriptor is set that no field has.
  localparam logic [7:0] DmaErrorReserved = 8'd3;
  // The input address is no multiple of 32.
  localparam logic [7:0] DmaErrorInputAddress = 8'd4;
  // The input has no word, or reaches beyond 2^64.
  localparam logic [7:0] DmaErrorInputWords = 8'd5;
  // The output address is no multiple of 32, with the flag Tagged of 64.
  localparam logic [7:0] DmaErrorOutputAddress = 8'd6;
  // The output has room for no word, or reaches beyond 2^64.
  localparam logic [7:0] DmaErrorOutputLimit = 8'd7;
  // The input could not be read: the memory answered with an error.
  localparam logic [7:0] DmaErrorInputRead = 8'd8;
  // The run takes more words than the descriptor gives.
  localparam logic [7:0] DmaErrorInputTooShort = 8'd9;
  // The run takes fewer words than the descriptor gives.
  localparam logic [7:0] DmaErrorInputTooLong = 8'd10;
  // The run gives more words than the output has room for. Nothing was written beyond it.
  localparam logic [7:0] DmaErrorOutputTooSmall = 8'd11;
  // The output could not be written: the memory answered with an error.
  localparam logic [7:0] DmaErrorOutputWrite = 8'd12;
  // The record could not be written: the memory answered with an error.
  localparam logic [7:0] DmaErrorRecordWrite = 8'd13;
  // The core refused the start; its ERROR says why.
  localparam logic [7:0] DmaErrorStartRefused = 8'd14;
  // The output of the run is void; ERROR of the core says why.
  localparam logic [7:0] DmaErrorRunVoid = 8'd15;

endpackage

/* verilator lint_on UNUSEDPARAM */
