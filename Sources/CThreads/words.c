#include "CThreads.h"

#include <stdlib.h>

// Pages are never freed. A free word holds the address of the next one. It is still accessed atomically: a reference
// count may order its last use before its release, which ThreadSanitizer does not see.
enum { words_in_page = 512, line = 64 };

static daybook_lock lock = DAYBOOK_UNLOCKED;
static uint64_t *free_words;

uint64_t *daybook_word_make(void) {
    daybook_lock_lock(&lock);
    if (free_words == NULL) {
        uint64_t *page = aligned_alloc(line, words_in_page * sizeof(uint64_t));
        if (page == NULL) abort();
        for (int index = 0; index < words_in_page; index++) {
            page[index] = index + 1 < words_in_page ? (uint64_t)(uintptr_t)&page[index + 1] : 0;
        }
        free_words = page;
    }
    uint64_t *word = free_words;
    free_words = (uint64_t *)(uintptr_t)daybook_load_relaxed(word);
    daybook_store_relaxed(word, 0);
    daybook_lock_unlock(&lock);
    return word;
}

void daybook_word_free(uint64_t *word) {
    daybook_lock_lock(&lock);
    daybook_store_relaxed(word, (uint64_t)(uintptr_t)free_words);
    free_words = word;
    daybook_lock_unlock(&lock);
}
