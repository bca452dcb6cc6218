#include "CThreads.h"

#if defined(__linux__)
#include <sys/prctl.h>

void daybook_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
#endif
