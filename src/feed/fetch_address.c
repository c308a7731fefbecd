/*
 * fetch_address.c: which addresses are not of the public internet (the special-purpose registries
 * of IANA). A page must not be able to make us read the router, the cloud's metadata service or a
 * neighbour's printer.
 */
#include "feed/session.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

typedef struct block4 {
    uint8_t prefix[4];
    uint8_t bits;
    const char *kind;
} block4;

static const block4 BLOCKS4[] = {
    {{0, 0, 0, 0}, 8, "unspecified"},     {{10, 0, 0, 0}, 8, "private"},
    {{100, 64, 0, 0}, 10, "shared"},      {{127, 0, 0, 0}, 8, "loopback"},
    {{169, 254, 0, 0}, 16, "link-local"}, {{172, 16, 0, 0}, 12, "private"},
    {{192, 0, 0, 0}, 24, "reserved"},     {{192, 0, 2, 0}, 24, "reserved"},
    {{192, 88, 99, 0}, 24, "reserved"},   {{192, 168, 0, 0}, 16, "private"},
    {{198, 18, 0, 0}, 15, "reserved"},    {{198, 51, 100, 0}, 24, "reserved"},
    {{203, 0, 113, 0}, 24, "reserved"},   {{224, 0, 0, 0}, 4, "multicast"},
    {{240, 0, 0, 0}, 4, "reserved"},
};

typedef struct block6 {
    uint8_t prefix[16];
    uint8_t bits;
    uint8_t inner; /* where an IPv4 address begins that decides instead; 0 for none */
    const char *kind;
} block6;

static const block6 BLOCKS6[] = {
    {{[15] = 1}, 128, 0, "loopback"},
    {{0}, 128, 0, "unspecified"},
    {{[10] = 0xFF, [11] = 0xFF}, 96, 12, NULL},         /* IPv4-mapped */
    {{0}, 96, 12, NULL},                                /* IPv4-compatible */
    {{0x00, 0x64, 0xFF, 0x9B}, 96, 12, NULL},           /* NAT64 */
    {{0x00, 0x64, 0xFF, 0x9B, 0, 1}, 48, 0, "private"}, /* local NAT64 */
    {{0x01, 0x00}, 64, 0, "reserved"},                  /* discard */
    {{0x20, 0x01, 0x00, 0x00}, 23, 0, "reserved"},      /* Teredo and other protocols */
    {{0x20, 0x01, 0x0D, 0xB8}, 32, 0, "reserved"},      /* documentation */
    {{0x20, 0x02}, 16, 2, NULL},                        /* 6to4 */
    {{0x3F, 0xFF}, 20, 0, "reserved"},                  /* documentation */
    {{0x5F, 0x00}, 16, 0, "reserved"},                  /* segment routing */
    {{0xFC}, 7, 0, "private"},                          /* unique local */
    {{0xFE, 0x80}, 10, 0, "link-local"},
    {{0xFE, 0xC0}, 10, 0, "private"}, /* site-local */
    {{0xFF}, 8, 0, "multicast"},
};

static bool in_block(const uint8_t *address, const uint8_t *prefix, unsigned bits)
{
    if (memcmp(address, prefix, bits / 8))
        return false;
    unsigned rest = bits % 8;
    return rest == 0 || ((address[bits / 8] ^ prefix[bits / 8]) >> (8 - rest)) == 0;
}

static const char *kind4(const uint8_t *address)
{
    for (size_t i = 0; i < sizeof BLOCKS4 / sizeof *BLOCKS4; i++)
        if (in_block(address, BLOCKS4[i].prefix, BLOCKS4[i].bits))
            return BLOCKS4[i].kind;
    return NULL;
}

static const char *kind6(const uint8_t *address)
{
    for (size_t i = 0; i < sizeof BLOCKS6 / sizeof *BLOCKS6; i++)
        if (in_block(address, BLOCKS6[i].prefix, BLOCKS6[i].bits))
            return BLOCKS6[i].inner ? kind4(address + BLOCKS6[i].inner) : BLOCKS6[i].kind;
    return NULL;
}

const char *th__address_kind(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return kind4((const uint8_t *)&in.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof in);
        return kind6((const uint8_t *)&in.sin6_addr);
    }
    return "unknown";
}
