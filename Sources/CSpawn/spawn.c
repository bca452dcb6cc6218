#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CSpawn.h"

int daybook_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

#if !defined(__APPLE__)
int daybook_spawn_without_descriptors(posix_spawn_file_actions_t *actions) {
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}
#endif
