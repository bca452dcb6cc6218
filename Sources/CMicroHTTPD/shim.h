#pragma once
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

// Swift can call neither variadic functions nor cast macros; these wrap those that the server needs.

/// Callbacks of the library; one set for every daemon.
struct daybook_mhd_callbacks {
  void *context;
  MHD_AcceptPolicyCallback accept;
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  /// Called before the library answers a request by itself, with the status, on the thread that handles the request; it
  /// does not say which request.
  void (*refusing)(void *context, unsigned int status);
};

/// Detects the library's log message for a request that it answers by itself; other messages are for its developers.
static inline void daybook_mhd_log(void *callbacks, const char *format, va_list arguments) {
  const struct daybook_mhd_callbacks *ours = (const struct daybook_mhd_callbacks *) callbacks;
  static const char refusal[] = "Error processing request";
  // The status is the message's first argument.
  if (0 == strncmp(format, refusal, sizeof refusal - 1)) ours->refusing(ours->context, va_arg(arguments, unsigned int));
}

/// Nonzero if the library parses strictly: since 1.0. Before, its own answer to a head that it rejects has two heads, so
/// the server lets all pass and rejects them itself. Since then, it has a fault in lenient parsing: the line feed after a
/// chunk extension remains, and ends the trailers after the last chunk (seen in 1.0.1). In strict parsing, such a chunk
/// is malformed.
static inline int daybook_mhd_is_strict(void) { return MHD_get_version()[0] > '0'; }

/// Starts a daemon on a listening socket, which the daemon closes when it stops. Timeouts are off: the caller closes
/// idle connections. Returns NULL on failure. With a certificate (PEM), it uses TLS 1.2 and 1.3. Both texts, and the
/// callbacks, must outlive it.
static inline struct MHD_Daemon *
daybook_mhd_start(int listener, int is_ipv6, unsigned int threads, unsigned int connections_per_thread,
                  size_t connection_memory, const char *certificate, const char *key,
                  const struct daybook_mhd_callbacks *callbacks) {
  // Not epoll: before 1.0 the library misses the end of a connection that came with its last bytes (upstream #7192).
  unsigned int flags =
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  if (is_ipv6) flags |= MHD_USE_IPv6;
  if (certificate) flags |= MHD_USE_TLS;
  struct MHD_OptionItem tls[] = {
      {certificate ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, (void *) certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) 
       // No RSA key exchange, which lacks forward secrecy: a leaked key would decrypt recorded traffic.
       "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA"},
      {MHD_OPTION_END, 0, NULL}};
  // The library rejects a pool of one thread; END then ends the list early.
  enum MHD_OPTION pool = threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END;
  return MHD_start_daemon(flags, 0, callbacks->accept, callbacks->context, callbacks->handle, callbacks->context,
                          MHD_OPTION_EXTERNAL_LOGGER, daybook_mhd_log, callbacks,
                          MHD_OPTION_LISTEN_SOCKET, listener,
                          MHD_OPTION_CONNECTION_LIMIT, connections_per_thread * (threads > 1 ? threads : 1),
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                          MHD_OPTION_CONNECTION_TIMEOUT, 0u,
                          MHD_OPTION_STRICT_FOR_CLIENT, daybook_mhd_is_strict(),
                          MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->context,
                          MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context,
                          MHD_OPTION_URI_LOG_CALLBACK, callbacks->target, callbacks->context,
                          MHD_OPTION_ARRAY, tls, pool, threads, MHD_OPTION_END);
}

/// The connection's socket, or -1.
static inline int daybook_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The peer's address, or NULL.
static inline const struct sockaddr *daybook_mhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// The context that the connection callback stored, or NULL.
static inline void *daybook_mhd_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// The size of the request's head in bytes, or 0.
static inline size_t daybook_mhd_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/// A response with a copy of the bytes, or NULL.
static inline struct MHD_Response *daybook_mhd_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *) bytes, MHD_RESPMEM_MUST_COPY);
}

/// A response of unknown length that pulls its bytes from `read`, or NULL. HTTP/1.0 clients get them through a 4 KiB
/// buffer, others directly.
static inline struct MHD_Response *
daybook_mhd_stream(MHD_ContentReaderCallback read, MHD_ContentReaderFreeCallback release, void *context) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read, context, release);
}

/// The head of a streamed response, for a HEAD request, or NULL; it ends the connection. For any other response of
/// unknown length, the library sends a final chunk, which a response to HEAD must not have (seen in 0.9.75).
static inline struct MHD_Response *daybook_mhd_stream_head(MHD_ContentReaderCallback read) {
  struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read, NULL, NULL);
  if (response) MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  return response;
}

static const ssize_t daybook_mhd_stream_ended = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t daybook_mhd_stream_failed = MHD_CONTENT_READER_END_WITH_ERROR;

/// Nonzero on success.
static inline int daybook_mhd_add_header(struct MHD_Response *response, const char *name, const char *value) {
  return MHD_add_response_header(response, name, value) == MHD_YES;
}

/// Nonzero on success.
static inline int
daybook_mhd_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return MHD_queue_response(connection, status, response) == MHD_YES;
}

// Constants that do not depend on how the compiler imports a closed enum.
static const enum MHD_Result daybook_mhd_yes = MHD_YES;
static const enum MHD_Result daybook_mhd_no = MHD_NO;

/// Nonzero for a connection's start, zero for its end.
static inline int daybook_mhd_is_start(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/// Nonzero if the full response was sent.
static inline int daybook_mhd_is_complete(enum MHD_RequestTerminationCode code) {
  return code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
}

/// Calls `iterator` with each header field of the request.
static inline void
daybook_mhd_headers(struct MHD_Connection *connection, MHD_KeyValueIteratorN iterator, void *context) {
  (void) MHD_get_connection_values_n(connection, MHD_HEADER_KIND, iterator, context);
}

/// The calling thread, as a number.
static inline uintptr_t daybook_mhd_thread(void) { return (uintptr_t) pthread_self(); }

/// Nonzero while the request's head is complete and in memory: the library frees it before it reports the connection
/// closed.
static inline int daybook_mhd_has_head(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL;
}

/// Nonzero if the connection's memory is full, so that the library cannot read more. Only on the connection's thread.
/// The check itself uses some 70 bytes of the memory until the request's end.
static inline int daybook_mhd_is_full(struct MHD_Connection *connection) {
  return MHD_set_connection_value(connection, MHD_FOOTER_KIND, "daybook", "") != MHD_YES;
}
