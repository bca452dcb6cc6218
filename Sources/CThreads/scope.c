#include "CThreads.h"

_Thread_local uint32_t daybook_thread_scope;

uint32_t daybook_task_scopes, daybook_task_spans;

uint64_t daybook_installed;
