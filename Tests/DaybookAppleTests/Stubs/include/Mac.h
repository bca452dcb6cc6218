#pragma once
// What the server and tools of a Mac use besides `Darwin.h`. Sources as there; the file is named with each group.

// Source: xnu, bsd/sys/signal.h
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGALRM 14
#define SIGTERM 15
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGUSR1 30
#define SIGUSR2 31
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGSTOP 17
#define SIGCONT 19
typedef uint32_t sigset_t;
int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int number);

// Source: xnu, bsd/sys/spawn.h; Libc, include/spawn.h
#define POSIX_SPAWN_SETPGROUP 0x0002
#define POSIX_SPAWN_SETSIGDEF 0x0004
#define POSIX_SPAWN_SETSIGMASK 0x0008
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000
typedef void *posix_spawnattr_t;
typedef void *posix_spawn_file_actions_t;
int posix_spawn(pid_t *restrict process, const char *restrict path,
                const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attributes,
                char *const arguments[restrict], char *const environment[restrict]);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int descriptor, int other);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict actions, int descriptor,
                                     const char *restrict path, int flags, mode_t mode);
__attribute__((availability(macos, introduced = 10.15))) int
posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *restrict path);
int posix_spawnattr_init(posix_spawnattr_t *attributes);
int posix_spawnattr_destroy(posix_spawnattr_t *attributes);
int posix_spawnattr_setflags(posix_spawnattr_t *attributes, short flags);
int posix_spawnattr_setsigmask(posix_spawnattr_t *restrict attributes, const sigset_t *restrict set);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *restrict attributes, const sigset_t *restrict set);

// Source: xnu, bsd/sys/wait.h
pid_t waitpid(pid_t process, int *status, int options);
typedef uint32_t id_t;
typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
#define WNOHANG 0x00000001
#define WEXITED 0x00000004
#define WNOWAIT 0x00000020
union sigval {
    int sival_int;
    void *sival_ptr;
};
typedef struct __siginfo {
    int si_signo;
    int si_errno;
    int si_code;
    pid_t si_pid;
    uid_t si_uid;
    int si_status;
    void *si_addr;
    union sigval si_value;
    long si_band;
    unsigned long __pad[7];
} siginfo_t;
int waitid(idtype_t type, id_t identifier, siginfo_t *information, int options);
#define CLD_EXITED 1
#define CLD_KILLED 2
#define CLD_DUMPED 3

// Source: xnu, bsd/sys/select.h and bsd/sys/_types/_fd_def.h
typedef struct fd_set {
    int32_t fds_bits[32];
} fd_set;

// Source: Libc, include/unistd.h, stdlib.h, string.h
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
__attribute__((noreturn)) void exit(int status);
__attribute__((noreturn)) void _exit(int status);
char *strdup(const char *text);
size_t strlen(const char *text);
int strcmp(const char *one, const char *other);
int pause(void);
unsigned int alarm(unsigned int seconds);
#define _SC_PAGESIZE 29
long sysconf(int name);
int setenv(const char *name, const char *value, int overwrites);
int rmdir(const char *path);
#define _SC_CLK_TCK 3
#define CLOCKS_PER_SEC 1000000
typedef unsigned long clock_t;
clock_t clock(void);
int mkfifo(const char *path, mode_t mode);
uid_t getuid(void);
uid_t geteuid(void);

// Source: Libc, include/_stdio.h
typedef struct __sFILE {
    int _file;
} FILE;
int fflush(FILE *stream);
FILE *fopen(const char *restrict path, const char *restrict mode);
size_t fwrite(const void *restrict bytes, size_t size, size_t count, FILE *restrict stream);
int fclose(FILE *stream);
extern FILE *stdin, *stdout, *stderr;

// Source: xnu, bsd/sys/errno.h
#define ENOMEM 12
#define EMFILE 24
#define EPIPE 32
#define EAFNOSUPPORT 47
#define EADDRINUSE 48
#define EADDRNOTAVAIL 49
#define ECONNRESET 54
#define ENOTCONN 57
#define ECONNREFUSED 61
#define EDQUOT 69

// Source: xnu, bsd/sys/fcntl.h
#define F_DUPFD 0
#define F_SETFD 2
#define F_GETFD 1
#define F_GETFL 3
#define F_SETFL 4
#define FD_CLOEXEC 1

// Source: xnu, bsd/sys/resource.h
#define RLIMIT_NOFILE 8
#define RLIMIT_CPU 0
#define RLIMIT_DATA 2
#define PRIO_PROCESS 0
#define RLIMIT_CORE 4
int setpriority(int which, id_t who, int value);
#define RUSAGE_INFO_V2 2
typedef void *rusage_info_t;
struct rusage_info_v2 {
    uint8_t ri_uuid[16];
    uint64_t ri_user_time;
    uint64_t ri_system_time;
    uint64_t ri_pkg_idle_wkups;
    uint64_t ri_interrupt_wkups;
    uint64_t ri_pageins;
    uint64_t ri_wired_size;
    uint64_t ri_resident_size;
    uint64_t ri_phys_footprint;
    uint64_t ri_proc_start_abstime;
    uint64_t ri_proc_exit_abstime;
    uint64_t ri_child_user_time;
    uint64_t ri_child_system_time;
    uint64_t ri_child_pkg_idle_wkups;
    uint64_t ri_child_interrupt_wkups;
    uint64_t ri_child_pageins;
    uint64_t ri_child_elapsed_abstime;
    uint64_t ri_diskio_bytesread;
    uint64_t ri_diskio_byteswritten;
};

// Source: xnu, libsyscall/wrappers/libproc/libproc.h
__attribute__((availability(macos, introduced = 10.9))) int
proc_pid_rusage(int process, int flavor, rusage_info_t *buffer);

// Source: xnu, bsd/netinet/tcp.h
#define TCP_CONNECTION_INFO 0x106
struct tcp_connection_info {
    uint8_t tcpi_state;
    uint8_t tcpi_snd_wscale;
    uint8_t tcpi_rcv_wscale;
    uint8_t __pad1;
    uint32_t tcpi_options;
    uint32_t tcpi_flags;
    uint32_t tcpi_rto;
    uint32_t tcpi_maxseg;
    uint32_t tcpi_snd_ssthresh;
    uint32_t tcpi_snd_cwnd;
    uint32_t tcpi_snd_wnd;
    uint32_t tcpi_snd_sbbytes;
    uint32_t tcpi_rcv_wnd;
    uint32_t tcpi_rttcur;
    uint32_t tcpi_srtt;
    uint32_t tcpi_rttvar;
    uint32_t tcpi_tfo_cookie_req : 1, tcpi_tfo_cookie_rcv : 1, tcpi_tfo_syn_loss : 1, tcpi_tfo_syn_data_sent : 1,
        tcpi_tfo_syn_data_acked : 1, tcpi_tfo_syn_data_rcv : 1, tcpi_tfo_cookie_req_rcv : 1, tcpi_tfo_cookie_sent : 1,
        tcpi_tfo_cookie_invalid : 1, tcpi_tfo_cookie_wrong : 1, tcpi_tfo_no_cookie_rcv : 1,
        tcpi_tfo_heuristics_disable : 1, tcpi_tfo_send_blackhole : 1, tcpi_tfo_recv_blackhole : 1,
        tcpi_tfo_onebyte_proxy : 1, __pad2 : 17;
    uint64_t tcpi_txpackets;
    uint64_t tcpi_txbytes;
    uint64_t tcpi_txretransmitbytes;
    uint64_t tcpi_rxpackets;
    uint64_t tcpi_rxbytes;
    uint64_t tcpi_rxoutoforderbytes;
    uint64_t tcpi_txretransmitpackets;
};
int setrlimit(int resource, const struct rlimit *limit);

// Source: xnu, bsd/sys/socket.h, bsd/netinet/in.h, bsd/netinet6/in6.h, bsd/net/if.h
#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET6 30
#define SO_REUSEADDR 0x0004
#define SO_SNDTIMEO 0x1005
#define SOMAXCONN 128
#define MSG_PEEK 0x2
#define MSG_DONTWAIT 0x80
#define IPPROTO_IPV6 41
#define IPPROTO_TCP 6
#define IPV6_V6ONLY 27
struct in6_addr {
    uint8_t __u6_addr8[16];
};
struct sockaddr_in6 {
    uint8_t sin6_len;
    sa_family_t sin6_family;
    in_port_t sin6_port;
    uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};
struct sockaddr_storage {
    uint8_t ss_len;
    sa_family_t ss_family;
    char __ss_pad1[6];
    int64_t __ss_align;
    char __ss_pad2[112];
};
int socketpair(int domain, int type, int protocol, int descriptors[2]);
int connect(int descriptor, const struct sockaddr *address, socklen_t length);
int getpeername(int descriptor, struct sockaddr *address, socklen_t *length);
int getsockopt(int descriptor, int level, int option, void *value, socklen_t *length);

// Source: Libinfo, lookup.subproj/netdb.h, gen.subproj/ifaddrs.h
#define AI_PASSIVE 0x00000001
#define AI_NUMERICHOST 0x00000004
#define AI_NUMERICSERV 0x00001000
#define NI_MAXHOST 1025
#define NI_MAXSERV 32
#define NI_NUMERICHOST 0x00000002
#define NI_NUMERICSERV 0x00000008
struct addrinfo {
    int ai_flags;
    int ai_family;
    int ai_socktype;
    int ai_protocol;
    socklen_t ai_addrlen;
    char *ai_canonname;
    struct sockaddr *ai_addr;
    struct addrinfo *ai_next;
};
int getaddrinfo(const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict found);
void freeaddrinfo(struct addrinfo *found);
int getnameinfo(const struct sockaddr *restrict address, socklen_t length, char *restrict host,
                socklen_t hostLength, char *restrict service, socklen_t serviceLength, int flags);
const char *gai_strerror(int code);
struct ifaddrs {
    struct ifaddrs *ifa_next;
    char *ifa_name;
    unsigned int ifa_flags;
    struct sockaddr *ifa_addr;
    struct sockaddr *ifa_netmask;
    struct sockaddr *ifa_dstaddr;
    void *ifa_data;
};
int getifaddrs(struct ifaddrs **found);
void freeifaddrs(struct ifaddrs *found);

// Source: Libc, include/arpa/inet.h
in_addr_t inet_addr(const char *text);
int inet_pton(int family, const char *text, void *address);

// Source: xnu, bsd/sys/poll.h
#define POLLIN 0x0001
#define POLLOUT 0x0004
typedef unsigned int nfds_t;
struct pollfd {
    int fd;
    short events;
    short revents;
};
int poll(struct pollfd *descriptors, nfds_t count, int milliseconds);
