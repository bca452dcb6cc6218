#pragma once
#include <stddef.h>
// Source: Libc, include/stdlib.h and include/malloc/_malloc.h
__attribute__((noreturn)) void abort(void);
__attribute__((availability(ios, introduced = 13.0))) void *aligned_alloc(size_t alignment, size_t size);
void free(void *memory);
