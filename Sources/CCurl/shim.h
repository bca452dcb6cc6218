#pragma once
#include <curl/curl.h>

// `curl_easy_setopt` and `curl_easy_getinfo` are variadic, which Swift cannot call: these are their forms by the type of
// the value.

/// For the options that libcurl documents with a `long`.
static inline CURLcode daybook_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/// For the options that libcurl documents with a `curl_off_t`.
static inline CURLcode daybook_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// For strings and data: libcurl copies strings, and keeps the address of everything else.
static inline CURLcode daybook_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// For what takes the bytes of an answer.
static inline CURLcode daybook_curl_set_writer(CURL *handle, size_t (*writer)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
}

/// For what libcurl documents as a `long`.
static inline CURLcode daybook_curl_get_number(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

/// For what libcurl documents as a `curl_off_t`.
static inline CURLcode daybook_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

/// For what libcurl documents as a string: it belongs to the handle, and is there until its next request.
static inline CURLcode daybook_curl_get_text(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}
