#pragma once
#include <spawn.h>

// What glibc declares only for GNU programs, which Swift's import of it is not.

/// The program runs in a folder. 0, or a number of `errno`.
int daybook_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// The program gets its standard streams and no other descriptor, one that another thread opens meanwhile included. 0, or a
/// number of `errno`. Apple's systems have a flag of the attributes for it.
#if !defined(__APPLE__)
int daybook_spawn_without_descriptors(posix_spawn_file_actions_t *actions);
#endif
