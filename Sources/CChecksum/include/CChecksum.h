#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `length` bytes, continuing from `crc` (0 at the start). Uses the
/// processor's instruction if available, chosen when the program is loaded.
uint32_t daybook_crc32c(uint32_t crc, const void *bytes, size_t length);

/// The same checksum by table: the fallback, and the reference for tests.
uint32_t daybook_crc32c_table(uint32_t crc, const void *bytes, size_t length);

extern uint32_t (*daybook_frame_checksum)(uint32_t, const void *, uint32_t);

/// The checksum of a journal frame: continues from `seed` over the four little-endian bytes of `length`, then over
/// the frame's bytes from offset 8 to `length`. `length` counts from the frame's first byte and is at least 8.
static inline uint32_t daybook_crc32c_frame(uint32_t seed, const void *frame, uint32_t length) {
    return daybook_frame_checksum(seed, frame, length);
}

/// Whether this processor has a CRC-32C instruction, which the functions above then use.
bool daybook_crc32c_has_hardware(void);
