#include "CStoreFile.h"
#include <sqlite3.h>
#include <string.h>

// The system's file object follows this struct in memory. SQLite uses a file on one thread at a time.
typedef struct {
    sqlite3_file base;
    /// The methods below, with the version of the system's file.
    sqlite3_io_methods methods;
    sqlite3_file *real;
    unsigned char *page;
    int pageSize;
} StoreFile;

/// Up to this file size, no page number's first byte equals a b-tree page's type. So an overflow page, which begins
/// with a page number, is not taken for a b-tree page.
static const sqlite3_int64 mostBytes = (sqlite3_int64)1 << 33;

static sqlite3_vfs *systemFiles(sqlite3_vfs *vfs) { return (sqlite3_vfs *)vfs->pAppData; }
static sqlite3_file *real(sqlite3_file *file) { return ((StoreFile *)file)->real; }
static int number(const unsigned char *at) { return at[0] << 8 | at[1]; }

/// Reads the page size at 16, and at 20 the reserved bytes per page. With reserved bytes, no page is changed.
static void noteHeader(StoreFile *file, const unsigned char *head) {
    int size = number(head + 16) == 1 ? 65536 : number(head + 16);
    file->pageSize = head[20] == 0 ? size : 0;
}

void daybook_store_file_clear_gap(unsigned char *page, int size, int isFirst) {
    int start = isFirst ? 100 : 0;
    if (size < 512 || size > 65536) return;
    unsigned char kind = page[start];
    if (kind != 2 && kind != 5 && kind != 10 && kind != 13) return;
    int pointers = start + (kind == 2 || kind == 5 ? 12 : 8);
    int cells = number(page + start + 3);
    int content = number(page + start + 5);
    if (content == 0) content = 65536;
    int end = pointers + 2 * cells;
    if (content > size || end > content) return;
    for (int cell = 0; cell < cells; cell++) {
        int place = number(page + pointers + 2 * cell);
        if (place < content || place >= size) return;
    }
    memset(page + end, 0, content - end);
}

static int closeFile(sqlite3_file *file) {
    StoreFile *own = (StoreFile *)file;
    sqlite3_free(own->page);
    own->page = 0;
    return own->real->pMethods->xClose(own->real);
}

static int writeFile(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    StoreFile *own = (StoreFile *)file;
    if (offset == 0 && count >= 512) noteHeader(own, bytes);
    sqlite3_int64 length = 0;
    if (count != own->pageSize || offset % count != 0 || offset >= mostBytes
        || own->real->pMethods->xFileSize(own->real, &length) != SQLITE_OK || length > mostBytes) {
        return own->real->pMethods->xWrite(own->real, bytes, count, offset);
    }
    // SQLite may still need its own buffer's content between the cells.
    if (!own->page) own->page = sqlite3_malloc(65536);
    if (!own->page) return SQLITE_IOERR_NOMEM;
    memcpy(own->page, bytes, count);
    daybook_store_file_clear_gap(own->page, count, offset == 0);
    return own->real->pMethods->xWrite(own->real, own->page, count, offset);
}

static int readFile(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    StoreFile *own = (StoreFile *)file;
    int code = own->real->pMethods->xRead(own->real, bytes, count, offset);
    if (code == SQLITE_OK && offset == 0 && count >= 100) noteHeader(own, bytes);
    return code;
}

static int truncateFile(sqlite3_file *file, sqlite3_int64 size) {
    return real(file)->pMethods->xTruncate(real(file), size);
}
static int syncFile(sqlite3_file *file, int flags) { return real(file)->pMethods->xSync(real(file), flags); }
static int fileSize(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int lockFile(sqlite3_file *file, int lock) { return real(file)->pMethods->xLock(real(file), lock); }
static int unlockFile(sqlite3_file *file, int lock) { return real(file)->pMethods->xUnlock(real(file), lock); }
static int checkLock(sqlite3_file *file, int *isReserved) {
    return real(file)->pMethods->xCheckReservedLock(real(file), isReserved);
}
static int controlFile(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int sectorSize(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int characteristics(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
static int mapShared(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extends, memory);
}
static int lockShared(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int unmapShared(sqlite3_file *file, int deletes) { return real(file)->pMethods->xShmUnmap(real(file), deletes); }
static int fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **bytes) {
    return real(file)->pMethods->xFetch(real(file), offset, count, bytes);
}
static int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *bytes) {
    return real(file)->pMethods->xUnfetch(real(file), offset, bytes);
}

static const sqlite3_io_methods methods = {
    3, closeFile, readFile, writeFile, truncateFile, syncFile, fileSize, lockFile, unlockFile, checkLock, controlFile,
    sectorSize, characteristics, mapShared, lockShared, barrier, unmapShared, fetch, unfetch,
};

static int openFile(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
    sqlite3_vfs *files = systemFiles(vfs);
    // Journals and logs use the system's methods directly.
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return files->xOpen(files, name, file, flags, outFlags);
    StoreFile *own = (StoreFile *)file;
    memset(own, 0, sizeof(*own));
    own->real = (sqlite3_file *)(own + 1);
    memset(own->real, 0, files->szOsFile);
    int code = files->xOpen(files, name, own->real, flags, outFlags);
    if (!own->real->pMethods) return code;
    own->methods = methods;
    if (own->real->pMethods->iVersion < methods.iVersion) own->methods.iVersion = own->real->pMethods->iVersion;
    own->base.pMethods = &own->methods;
    return code;
}

int daybook_store_file_register(void) {
    if (sqlite3_vfs_find(DAYBOOK_STORE_FILE)) return SQLITE_OK;
    sqlite3_vfs *files = sqlite3_vfs_find(0);
    if (!files) return SQLITE_ERROR;
    static sqlite3_vfs vfs;
    // Apart from xOpen, all methods are the system's, which do not use this struct.
    vfs = *files;
    vfs.zName = DAYBOOK_STORE_FILE;
    vfs.szOsFile = (int)sizeof(StoreFile) + files->szOsFile;
    vfs.pAppData = files;
    vfs.pNext = 0;
    vfs.xOpen = openFile;
    return sqlite3_vfs_register(&vfs, 0);
}
