#pragma once

/// Makes the file system `daybook` known to SQLite: the system's own, but that a page of a database file is written with
/// zeros where it holds no cell. `secure_delete` overwrites a cell that is deleted and none that is moved, so that a copy of
/// it stays where it stood. Once in a process is enough; a second time does nothing. 0, or a code of SQLite.
///
/// Format: https://www.sqlite.org/fileformat2.html#b_tree_pages, VFS: https://www.sqlite.org/vfs.html.
int daybook_store_file_register(void);

/// The name of the file system.
#define DAYBOOK_STORE_FILE "daybook"

/// Overwrites what a page of a b-tree has between its cell pointers and its cells. Changes nothing of a page that is none, or
/// is not whole.
/// - Parameters:
///   - page: `size` bytes.
///   - isFirst: whether it is the file's first page, which begins with the file's header.
void daybook_store_file_clear_gap(unsigned char *page, int size, int isFirst);
