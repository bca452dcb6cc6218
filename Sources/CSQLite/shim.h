#pragma once
#include <sqlite3.h>

/// `SQLITE_TRANSIENT` is a cast macro that Swift cannot import: SQLite copies the bytes before the call returns.
static inline sqlite3_destructor_type daybook_sqlite_transient(void) { return SQLITE_TRANSIENT; }
