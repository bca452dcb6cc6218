#pragma once

/// Registers the VFS `daybook` with SQLite: the system's, except that it zeroes the free gap of b-tree pages when
/// writing a database file. `secure_delete` overwrites deleted cells, but leaves old copies of moved ones. Once per
/// process suffices; further calls do nothing. Returns 0 or an SQLite code.
///
/// Format: https://www.sqlite.org/fileformat2.html#b_tree_pages, VFS: https://www.sqlite.org/vfs.html.
int daybook_store_file_register(void);

/// The name of the VFS.
#define DAYBOOK_STORE_FILE "daybook"

/// Zeroes the gap between a b-tree page's cell pointers and its cells. Leaves other and inconsistent pages unchanged.
/// - Parameters:
///   - page: `size` bytes.
///   - isFirst: Whether it is the file's first page, which starts with the file's header.
void daybook_store_file_clear_gap(unsigned char *page, int size, int isFirst);
