#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSpawn.h"
#if !defined(__APPLE__) && !defined(__GLIBC__)
#include <errno.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

int daybook_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

#if defined(__GLIBC__)
int daybook_spawn_without_descriptors(posix_spawn_file_actions_t *actions) {
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}
#elif !defined(__APPLE__)
// musl lacks the action. What this process has open is closed in any child; another thread may still open more.
int daybook_spawn_without_descriptors(posix_spawn_file_actions_t *actions) {
    return syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) == 0 ? 0 : errno;
}
#endif
