/*
 * Copyright AcclMT contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first hash of the integration guide, over the socket of `acclmt serve`: sends the register writes and words
 * of a file such as docs/examples/first-hash.txt to the chip, prints what comes out, and compares it with what the
 * file says. A program for a board does the same with accesses to its registers.
 *
 *   acclmt serve --backend model --socket /tmp/chip &
 *   make -C docs/examples/c && docs/examples/c/first_hash /tmp/chip docs/examples/first-hash.txt
 *
 * Lines of the file, all numbers in hexadecimal:
 *
 *   write ADDRESS VALUE    a register
 *   in LEVEL WORD          a word of the input
 *   out LEVEL WORD         a word of the output, and the level of its node
 */

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "acclmt_registers.h"
#include "acclmt_serve.h"

#define MAX_STREAM 64
#define LONGEST (8 + ACCLMT_SERVE_OUTPUT_BYTES * ACCLMT_SERVE_MAX_CYCLES)

struct word {
    uint8_t bytes[ACCLMT_SERVE_WORD_BYTES];
    uint32_t level;
};

static int chip = -1;
static uint8_t answer[LONGEST];

static void fail(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    exit(1);
}

static void put(uint8_t *to, uint32_t value) {
    for (int byte = 0; byte < 4; byte++) {
        to[byte] = (uint8_t)(value >> (8 * byte));
    }
}

static uint32_t get(const uint8_t *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void send_all(const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(chip, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) {
            fail("the server has gone");
        }
        bytes += sent;
        count -= (size_t)sent;
    }
}

static void receive_all(uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t received = read(chip, bytes, count);
        if (received <= 0) {
            fail("the server has gone");
        }
        bytes += received;
        count -= (size_t)received;
    }
}

/* Sends a message, and returns the length of its answer, which is of kind `expected`. */
static uint32_t ask(uint32_t kind, const uint8_t *bytes, uint32_t count, uint32_t expected) {
    uint8_t header[ACCLMT_SERVE_HEADER_BYTES];
    put(header, kind);
    put(header + 4, count);
    send_all(header, sizeof header);
    send_all(bytes, count);
    for (;;) {
        receive_all(header, sizeof header);
        uint32_t got = get(header);
        uint32_t length = get(header + 4);
        if (length > sizeof answer) {
            fail("an answer is too long");
        }
        receive_all(answer, length);
        if (got == ACCLMT_SERVE_WAITING && length == 4) {
            fprintf(stderr, "note: sessions before this one: %" PRIu32 "\n", get(answer));
        } else if (got == ACCLMT_SERVE_FAILED && length >= 4) {
            fprintf(stderr, "error: the server: %.*s\n", (int)(length - 4), (const char *)answer + 4);
            exit(1);
        } else if (got == expected) {
            return length;
        } else {
            fail("an answer belongs to no question");
        }
    }
}

static void write_register(uint32_t address, uint32_t value) {
    uint8_t bytes[8];
    put(bytes, address);
    put(bytes + 4, value);
    ask(ACCLMT_SERVE_WRITE, bytes, sizeof bytes, ACCLMT_SERVE_DONE);
}

static uint32_t read_register(uint32_t address) {
    uint8_t bytes[4];
    put(bytes, address);
    if (ask(ACCLMT_SERVE_READ, bytes, sizeof bytes, ACCLMT_SERVE_VALUE) != 4) {
        fail("a value has four bytes");
    }
    return get(answer);
}

static void connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fail("the path of the socket is too long");
    }
    strcpy(address.sun_path, path);
    chip = socket(AF_UNIX, SOCK_STREAM, 0);
    if (chip < 0 || connect(chip, (struct sockaddr *)&address, sizeof address) != 0) {
        perror(path);
        exit(1);
    }
    uint8_t hello[16] = ACCLMT_SERVE_MAGIC;
    put(hello + 8, ACCLMT_SERVE_VERSION);
    put(hello + 12, 0);
    ask(ACCLMT_SERVE_HELLO, hello, sizeof hello, ACCLMT_SERVE_WELCOME);
    if (read_register(ACCLMT_REG_ID) != ACCLMT_ID_VALUE) {
        fail("this is no AcclMT chip");
    }
    if (read_register(ACCLMT_REG_VERSION) != ACCLMT_VERSION_VALUE) {
        fail("the chip has another version of the register map than this program");
    }
}

/* 64 digits of a word, the most significant first. */
static bool parse_word(const char *text, uint8_t *bytes) {
    if (strlen(text) != 2 * ACCLMT_SERVE_WORD_BYTES) {
        return false;
    }
    for (unsigned byte = 0; byte < ACCLMT_SERVE_WORD_BYTES; byte++) {
        unsigned value;
        if (sscanf(text + 2 * (ACCLMT_SERVE_WORD_BYTES - 1 - byte), "%2x", &value) != 1) {
            return false;
        }
        bytes[byte] = (uint8_t)value;
    }
    return true;
}

/* Offers the words of the input, and returns how many have come out when the last one has. */
static unsigned run(const struct word *input, unsigned inputs, struct word *output) {
    unsigned outputs = 0;
    bool is_last = false;
    for (unsigned calls = 0; !is_last; calls++) {
        if (calls == 1000) {
            fail("the chip makes no progress");
        }
        static uint8_t bytes[8 + ACCLMT_SERVE_WORD_BYTES * MAX_STREAM];
        put(bytes, ACCLMT_SERVE_MAX_CYCLES);
        put(bytes + 4, inputs);
        for (unsigned word = 0; word < inputs; word++) {
            memcpy(bytes + 8 + ACCLMT_SERVE_WORD_BYTES * word, input[word].bytes, ACCLMT_SERVE_WORD_BYTES);
        }
        uint32_t length = ask(ACCLMT_SERVE_TRANSFER, bytes, 8 + ACCLMT_SERVE_WORD_BYTES * inputs,
                              ACCLMT_SERVE_MOVED);
        uint32_t taken = get(answer);
        uint32_t count = get(answer + 4);
        if (taken > inputs || count > MAX_STREAM - outputs
            || length != 8 + ACCLMT_SERVE_OUTPUT_BYTES * count) {
            fail("an answer does not fit the run");
        }
        input += taken;
        inputs -= taken;
        for (uint32_t word = 0; word < count; word++) {
            const uint8_t *from = answer + 8 + ACCLMT_SERVE_OUTPUT_BYTES * word;
            uint32_t flags = get(from + ACCLMT_SERVE_WORD_BYTES + 8);
            if (flags & ACCLMT_SERVE_FLAG_VOID) {
                fprintf(stderr, "error: the run is void: ERROR is %" PRIu32 "\n",
                        read_register(ACCLMT_REG_ERROR));
                exit(1);
            }
            memcpy(output[outputs].bytes, from, ACCLMT_SERVE_WORD_BYTES);
            output[outputs++].level = get(from + ACCLMT_SERVE_WORD_BYTES);
            is_last = flags & ACCLMT_SERVE_FLAG_LAST;
        }
        if (read_register(ACCLMT_REG_STATUS) & ACCLMT_STATUS_START_REFUSED_MASK) {
            fail("the chip refused to start");
        }
    }
    return outputs;
}

int main(int arguments, char **argument) {
    if (arguments != 3) {
        fail("give the socket of the server, and the file of the run");
    }
    connect_to(argument[1]);
    FILE *file = fopen(argument[2], "r");
    if (file == NULL) {
        perror(argument[2]);
        return 1;
    }

    static struct word input[MAX_STREAM], expected[MAX_STREAM], output[MAX_STREAM];
    unsigned inputs = 0, outputs = 0, number = 0;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t address, value, level;
        char text[2 * ACCLMT_SERVE_WORD_BYTES + 1];
        number++;
        if (sscanf(line, "write %" SCNx32 " %" SCNx32, &address, &value) == 2) {
            write_register(address, value);
        } else if (sscanf(line, "in %" SCNx32 " %64s", &level, text) == 2 && inputs < MAX_STREAM
                   && parse_word(text, input[inputs].bytes)) {
            inputs++;
        } else if (sscanf(line, "out %" SCNx32 " %64s", &level, text) == 2 && outputs < MAX_STREAM
                   && parse_word(text, expected[outputs].bytes)) {
            expected[outputs++].level = level;
        } else {
            fprintf(stderr, "error: %s, line %u: this is no line of a run\n", argument[2], number);
            return 1;
        }
    }
    fclose(file);

    unsigned came = run(input, inputs, output);
    for (unsigned word = 0; word < came; word++) {
        printf("level %" PRIu32 " 0x", output[word].level);
        for (int byte = ACCLMT_SERVE_WORD_BYTES - 1; byte >= 0; byte--) {
            printf("%02x", output[word].bytes[byte]);
        }
        putchar('\n');
    }
    ask(ACCLMT_SERVE_GOODBYE, NULL, 0, ACCLMT_SERVE_DONE);
    close(chip);
    if (came != outputs) {
        fail("another number of words came out than the file says");
    }
    for (unsigned word = 0; word < outputs; word++) {
        if (output[word].level != expected[word].level
            || memcmp(output[word].bytes, expected[word].bytes, ACCLMT_SERVE_WORD_BYTES) != 0) {
            fail("another word came out than the file says");
        }
    }
    return 0;
}
