#pragma once
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

// Swift can call neither variadic functions nor cast macros; these wrap exactly those that the server needs.

/// What the library calls; one set for every daemon.
struct daybook_mhd_callbacks {
  void *context;
  MHD_AcceptPolicyCallback accept;
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  /// The library is about to answer a request by itself, on this thread and with this status; it does not say which one.
  void (*refusing)(void *context, unsigned int status);
};

/// What the library logs where it answers a request by itself; all else that it logs is for its own developers.
static inline void daybook_mhd_log(void *callbacks, const char *format, va_list arguments) {
  const struct daybook_mhd_callbacks *ours = (const struct daybook_mhd_callbacks *) callbacks;
  static const char refusal[] = "Error processing request";
  // The status is the first of what the text is made of.
  if (0 == strncmp(format, refusal, sizeof refusal - 1)) ours->refusing(ours->context, va_arg(arguments, unsigned int));
}

/// Starts a daemon on a socket that listens already; the daemon closes it when stopped. Timeouts are off: the
/// caller sweeps. NULL on failure. With a certificate (PEM) it speaks TLS 1.2 and 1.3; both texts, and the callbacks, must
/// outlive it.
static inline struct MHD_Daemon *
daybook_mhd_start(int listener, int is_ipv6, unsigned int threads, unsigned int connections_per_thread,
                  size_t connection_memory, const char *certificate, const char *key,
                  const struct daybook_mhd_callbacks *callbacks) {
  unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
  flags |= MHD_is_feature_supported(MHD_FEATURE_EPOLL) ? MHD_USE_EPOLL : MHD_USE_POLL;
  if (is_ipv6) flags |= MHD_USE_IPv6;
  if (certificate) flags |= MHD_USE_TLS;
  struct MHD_OptionItem tls[] = {
      {certificate ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, (void *) certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) 
       // Without exchanges of keys that have no forward secrecy: who gets the key later reads what was recorded.
       "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA"},
      {MHD_OPTION_END, 0, NULL}};
  // A pool of one is refused by the library; END ends the list early.
  enum MHD_OPTION pool = threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END;
  return MHD_start_daemon(flags, 0, callbacks->accept, callbacks->context, callbacks->handle, callbacks->context,
                          MHD_OPTION_EXTERNAL_LOGGER, daybook_mhd_log, callbacks,
                          MHD_OPTION_LISTEN_SOCKET, listener,
                          MHD_OPTION_CONNECTION_LIMIT, connections_per_thread * (threads > 1 ? threads : 1),
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                          MHD_OPTION_CONNECTION_TIMEOUT, 0u,
                          // The server itself refuses heads that are ambiguous, or have no Host: the library's own
                          // refusal of these has its head twice.
                          MHD_OPTION_STRICT_FOR_CLIENT, 0,
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

/// The other end's address, or NULL.
static inline const struct sockaddr *daybook_mhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// What the connection callback stored for this connection, or NULL.
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

/// A response with a copy of these bytes, or NULL.
static inline struct MHD_Response *daybook_mhd_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *) bytes, MHD_RESPMEM_MUST_COPY);
}

/// A response of unknown length that asks `read` for its bytes, or NULL. HTTP/1.0 clients get them through a 4 KiB
/// buffer, others directly.
static inline struct MHD_Response *
daybook_mhd_stream(MHD_ContentReaderCallback read, MHD_ContentReaderFreeCallback release, void *context) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read, context, release);
}

/// The head alone of a streamed reply, for a HEAD request, or NULL; it ends the connection. The library ends the empty
/// body of any other response of unknown length with a chunk that HEAD must not have (seen in 0.9.75).
static inline struct MHD_Response *daybook_mhd_stream_head(MHD_ContentReaderCallback read) {
  struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read, NULL, NULL);
  if (response) MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  return response;
}

static const ssize_t daybook_mhd_stream_ended = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t daybook_mhd_stream_failed = MHD_CONTENT_READER_END_WITH_ERROR;

/// Not zero on success.
static inline int daybook_mhd_add_header(struct MHD_Response *response, const char *name, const char *value) {
  return MHD_add_response_header(response, name, value) == MHD_YES;
}

/// Not zero on success.
static inline int
daybook_mhd_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  return MHD_queue_response(connection, status, response) == MHD_YES;
}

// Enumerators under names that do not depend on how the compiler imports a closed enum.
static const enum MHD_Result daybook_mhd_yes = MHD_YES;
static const enum MHD_Result daybook_mhd_no = MHD_NO;

/// Not zero for the beginning of a connection, zero for its end.
static inline int daybook_mhd_is_start(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/// Not zero where the whole reply was sent.
static inline int daybook_mhd_is_complete(enum MHD_RequestTerminationCode code) {
  return code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
}

/// Calls `iterator` with each header field of the request.
static inline void
daybook_mhd_headers(struct MHD_Connection *connection, MHD_KeyValueIteratorN iterator, void *context) {
  (void) MHD_get_connection_values_n(connection, MHD_HEADER_KIND, iterator, context);
}

/// The thread that calls, as a number.
static inline uintptr_t daybook_mhd_thread(void) { return (uintptr_t) pthread_self(); }

/// The request's field of this name as the library takes it, or NULL. On the connection's thread.
static inline const char *daybook_mhd_field(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/// Not zero while the connection's head is whole and in memory: the library destroys it before it says that the connection
/// is closed.
static inline int daybook_mhd_has_head(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL;
}

/// Not zero where the connection's memory is all used, so that the library can read no more. On the connection's thread; a
/// connection that is not full loses some 70 bytes of its memory, until the request's end.
static inline int daybook_mhd_is_full(struct MHD_Connection *connection) {
  return MHD_set_connection_value(connection, MHD_FOOTER_KIND, "daybook", "") != MHD_YES;
}
