#include "CLimit.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

struct sqlite_log {
    sqlite3 *database;
    sqlite3_stmt *insert;
};

void *sqlite_log_open(const char *path) {
    static struct sqlite_log log;
    if (sqlite3_open(path, &log.database) != SQLITE_OK) return NULL;
    const char *schema =
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE records (time INTEGER, tag TEXT, keyword TEXT, recipe INTEGER, position INTEGER, cold INTEGER,"
        " visit TEXT);";
    if (sqlite3_exec(log.database, schema, NULL, NULL, NULL) != SQLITE_OK) return NULL;
    const char *insert = "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)";
    if (sqlite3_prepare_v2(log.database, insert, -1, &log.insert, NULL) != SQLITE_OK) return NULL;
    return &log;
}

bool sqlite_log_insert(void *opaque, const struct limit_event *event, uint64_t count) {
    struct sqlite_log *log = opaque;
    for (uint64_t index = 0; index < count; index++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        sqlite3_bind_int64(log->insert, 1, now.tv_sec * 1000000000LL + now.tv_nsec);
        sqlite3_bind_text(log->insert, 2, "recipe_search.search", -1, SQLITE_STATIC);
        sqlite3_bind_text(log->insert, 3, event->keyword, (int)event->keyword_length, SQLITE_STATIC);
        sqlite3_bind_int64(log->insert, 4, (int64_t)index);
        sqlite3_bind_int64(log->insert, 5, event->position);
        sqlite3_bind_int64(log->insert, 6, event->is_cold);
        sqlite3_bind_text(log->insert, 7, event->visit, (int)event->visit_length, SQLITE_STATIC);
        if (sqlite3_step(log->insert) != SQLITE_DONE) return false;
        sqlite3_reset(log->insert);
    }
    return true;
}

void sqlite_log_close(void *opaque) {
    struct sqlite_log *log = opaque;
    sqlite3_finalize(log->insert);
    sqlite3_close(log->database);
}
