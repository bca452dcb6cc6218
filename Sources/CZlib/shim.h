#pragma once
#include <zlib.h>

/// The `…Init2` macros that Swift cannot import. `windowBits` 15 + 16 means gzip.
static inline int daybook_deflate_init(z_stream *stream, int level, int windowBits) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
}
static inline int daybook_inflate_init(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}
