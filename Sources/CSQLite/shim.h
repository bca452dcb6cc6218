#pragma once
#include <sqlite3.h>

/// `SQLITE_TRANSIENT` is a cast macro that Swift cannot import: SQLite copies the bytes before the call returns.
static inline sqlite3_destructor_type daybook_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// `sqlite3_db_config` is variadic, which Swift cannot call; this wraps its on-off switches.
static inline int daybook_sqlite_switch(sqlite3 *db, int option, int on) {
    return sqlite3_db_config(db, option, on, (int *)0);
}

/// The same for `sqlite3_config`: whether SQLite keeps memory statistics.
static inline int daybook_sqlite_count_memory(int on) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on); }
