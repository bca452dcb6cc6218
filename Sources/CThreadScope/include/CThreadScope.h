#pragma once
#include <stdint.h>

/// One word for each thread, 0 at its start: which outputs and filters of Daybook the thread is inside of.
///
/// Swift has no thread-local variables, and the system's keyed values cost a call each; every log call reads this one.
/// On Linux it is at a fixed distance from the thread's pointer, so that reading it is one instruction.
#if defined(__linux__) && !defined(__ANDROID__)
extern _Thread_local uint32_t daybook_thread_scope __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local uint32_t daybook_thread_scope;
#endif

static inline uint32_t daybook_scope(void) { return daybook_thread_scope; }
static inline void daybook_set_scope(uint32_t scope) { daybook_thread_scope = scope; }
