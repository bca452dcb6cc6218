#pragma once
#include <spawn.h>

// Functions that glibc declares only with `_GNU_SOURCE`, which Swift's import lacks.

/// Sets the child's working directory. Returns 0 or an `errno`.
int daybook_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// The child gets its standard streams and no other descriptor, not even one that another thread opens meanwhile.
/// Returns 0 or an `errno`. Apple's systems have an attribute flag for it.
#if !defined(__APPLE__)
int daybook_spawn_without_descriptors(posix_spawn_file_actions_t *actions);
#endif
