/*
 * Copyright AcclMT contributors.
 * Licensed under the Apache License, Version 2.0, see LICENSE for details.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The protocol of `acclmt serve`, version 1; docs/serve.md explains it. A test of acclmt-serve compares the
 * numbers with those of the server.
 *
 * A message is a header of 8 bytes, its kind and the number of bytes behind the header, and so many bytes. All
 * numbers are little-endian.
 */

#ifndef ACCLMT_SERVE_H_
#define ACCLMT_SERVE_H_

/* The first 8 bytes of ACCLMT_SERVE_HELLO, and the version of the protocol. */
#define ACCLMT_SERVE_MAGIC "ACCLMTSV"
#define ACCLMT_SERVE_VERSION 1u

/* Bytes of a header, of a word of the streams, and of an output word with what goes with it. */
#define ACCLMT_SERVE_HEADER_BYTES 8u
#define ACCLMT_SERVE_WORD_BYTES 32u
#define ACCLMT_SERVE_OUTPUT_BYTES 48u

/* Register writes of a message, words and clock cycles of a transfer, at most. */
#define ACCLMT_SERVE_MAX_WRITES 1024u
#define ACCLMT_SERVE_MAX_WORDS 4096u
#define ACCLMT_SERVE_MAX_CYCLES 4096u
/* Bytes of the text of ACCLMT_SERVE_FAILED, and of the name in ACCLMT_SERVE_WELCOME, at most. */
#define ACCLMT_SERVE_MAX_TEXT 512u
/* Addresses of registers are below. */
#define ACCLMT_SERVE_MAP_BYTES 0x1000u

/* Kinds of messages of a client. */
#define ACCLMT_SERVE_HELLO 0x01u     /* 8 bytes of magic, u32 version, u32 0 */
#define ACCLMT_SERVE_WRITE 0x02u     /* for each write: u32 address, u32 value */
#define ACCLMT_SERVE_READ 0x03u      /* u32 address */
#define ACCLMT_SERVE_BEGIN_RUN 0x04u /* u64 input words, u64 output words */
#define ACCLMT_SERVE_TRANSFER 0x05u  /* u32 cycles, u32 number of words, the words */
#define ACCLMT_SERVE_CLEAR 0x06u     /* nothing */
#define ACCLMT_SERVE_GOODBYE 0x07u   /* nothing */
#define ACCLMT_SERVE_KEEP 0x08u      /* nothing; keeps a session in which there is nothing to ask */

/* Kinds of messages of the server. */
#define ACCLMT_SERVE_WELCOME 0x81u /* u32 version, u32 milliseconds in which nothing may come, or 0 */
                                   /* for any number, u64 cycles in a second or 0, name */
#define ACCLMT_SERVE_WAITING 0x82u /* u32 sessions before this one */
#define ACCLMT_SERVE_DONE 0x83u    /* nothing */
#define ACCLMT_SERVE_VALUE 0x84u   /* u32 value */
#define ACCLMT_SERVE_MOVED 0x85u   /* u32 words taken, u32 output words, for each of these: */
                                   /* word, u32 level, u32 index, u32 flags, u32 0 */
#define ACCLMT_SERVE_FAILED 0xFFu  /* u32 code, text; the server closes the connection */

/* Flags of an output word: the last one of its run, and a void one. */
#define ACCLMT_SERVE_FLAG_LAST 1u
#define ACCLMT_SERVE_FLAG_VOID 2u

/* Codes of ACCLMT_SERVE_FAILED. */
#define ACCLMT_SERVE_CODE_NO_GREETING 1u /* the first message is no greeting of this protocol */
#define ACCLMT_SERVE_CODE_VERSION 2u     /* the versions of the protocol differ */
#define ACCLMT_SERVE_CODE_MESSAGE 3u     /* there is no such message, or not here */
#define ACCLMT_SERVE_CODE_LENGTH 4u      /* the length of a message is not that of its kind */
#define ACCLMT_SERVE_CODE_VALUE 5u       /* a number in a message is out of range */
#define ACCLMT_SERVE_CODE_SLOW 6u        /* a message takes too long */
#define ACCLMT_SERVE_CODE_IDLE 7u        /* nothing came for too long */
#define ACCLMT_SERVE_CODE_FULL 8u        /* too many clients wait */
#define ACCLMT_SERVE_CODE_CHIP 9u        /* the chip failed */
#define ACCLMT_SERVE_CODE_STOPS 10u      /* the server ends */

#endif /* ACCLMT_SERVE_H_ */
