#pragma once
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `length` bytes, continuing from `crc` (0 to begin).
uint32_t daybook_crc32c(uint32_t crc, const void *bytes, size_t length);
