#pragma once
#include <curl/curl.h>

// `curl_easy_setopt` and `curl_easy_getinfo` are variadic, which Swift cannot call: one function per type of value.

/// For options documented with a `long`.
static inline CURLcode daybook_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/// For options documented with a `curl_off_t`.
static inline CURLcode daybook_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// For strings and data: libcurl copies strings, and keeps other pointers.
static inline CURLcode daybook_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// For the callbacks of a response's body (`CURLOPT_WRITEFUNCTION`) and header lines (`CURLOPT_HEADERFUNCTION`).
static inline CURLcode daybook_curl_set_taker(
    CURL *handle, CURLoption option, size_t (*taker)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, option, taker);
}

/// Disables all protocols except HTTP and HTTPS.
static inline CURLcode daybook_curl_only_http(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Lets a deadline end a request immediately while a name is being resolved, from libcurl 7.87 on; older versions wait
/// for the resolver.
static inline void daybook_curl_leave_resolver(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
#endif
}

/// For values documented as a `long`.
static inline CURLcode daybook_curl_get_number(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

/// For values documented as a `curl_off_t`.
static inline CURLcode daybook_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
