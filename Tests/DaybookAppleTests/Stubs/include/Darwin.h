#pragma once
// The C library and the kernel's calls. Sources: the headers that Apple publishes, named by group below, in
// https://github.com/apple-oss-distributions/xnu and https://github.com/apple-oss-distributions/Libc.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Source: xnu, bsd/sys/_types
typedef int32_t pid_t;
typedef int64_t off_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef int32_t dev_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef uint64_t ino_t;
typedef int64_t blkcnt_t;
typedef int32_t blksize_t;
typedef long ssize_t;
typedef long time_t;
typedef int32_t suseconds_t;
typedef uint32_t useconds_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};

// Source: Libc, include/time.h
typedef enum {
    _CLOCK_REALTIME = 0,
    _CLOCK_MONOTONIC = 6,
    _CLOCK_MONOTONIC_RAW = 4,
    _CLOCK_UPTIME_RAW = 8,
    _CLOCK_PROCESS_CPUTIME_ID = 12,
    _CLOCK_THREAD_CPUTIME_ID = 16,
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *time);
// Source: https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/nanosleep.2.html
int nanosleep(const struct timespec *rqtp, struct timespec *rmtp);

// Source: libpthread, include/sched.h, include/pthread/pthread.h and sys/_pthread/_pthread_types.h
int sched_yield(void);
typedef struct _opaque_pthread_once_t {
    long __sig;
    char __opaque[8];
} pthread_once_t;
#define _PTHREAD_ONCE_SIG_init 0x30B1BCBA
#define PTHREAD_ONCE_INIT {_PTHREAD_ONCE_SIG_init, {0}}
int pthread_once(pthread_once_t *once, void (*_Nonnull routine)(void));
int pthread_atfork(void (*_Nullable before)(void), void (*_Nullable parent)(void), void (*_Nullable child)(void));
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
};
struct tm *localtime_r(const time_t *, struct tm *);
time_t time(time_t *);

// Source: xnu, osfmk/mach/mach_time.h
struct mach_timebase_info {
    uint32_t numer;
    uint32_t denom;
};
typedef struct mach_timebase_info *mach_timebase_info_t;
typedef struct mach_timebase_info mach_timebase_info_data_t;
typedef int kern_return_t;
kern_return_t mach_timebase_info(mach_timebase_info_t info);
uint64_t mach_absolute_time(void);

// Source: xnu, bsd/sys/errno.h
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EAGAIN 35
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ECONNABORTED 53
#define ENOSYS 78
int *__error(void);

// Source: xnu, bsd/sys/fcntl.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define F_PREALLOCATE 42
#define F_FULLFSYNC 51
#define F_BARRIERFSYNC 85
#define F_ALLOCATECONTIG 0x00000002
#define F_ALLOCATEALL 0x00000004
#define F_PEOFPOSMODE 3
typedef struct fstore {
    unsigned int fst_flags;
    int fst_posmode;
    off_t fst_offset;
    off_t fst_length;
    off_t fst_bytesalloc;
} fstore_t;
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
int flock(int descriptor, int operation);

// Source: xnu, bsd/sys/stat.h
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    uint32_t st_flags, st_gen;
};
int stat(const char *path, struct stat *status);
int lstat(const char *path, struct stat *status);
int fstat(int descriptor, struct stat *status);
int mkdir(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);

// Source: xnu, bsd/sys/dirent.h; Libc, include/dirent.h
struct dirent {
    uint64_t d_ino;
    uint64_t d_seekoff;
    uint16_t d_reclen;
    uint16_t d_namlen;
    uint8_t d_type;
    char d_name[1024];
};
typedef struct _DIR DIR;
struct _DIR {
    int unused;
};
DIR *opendir(const char *path);
struct dirent *readdir(DIR *stream);
int closedir(DIR *stream);

// Source: Libc, include/unistd.h
#define W_OK (1 << 1)
int access(const char *path, int mode);
int fchown(int descriptor, uid_t owner, gid_t group);
int usleep(useconds_t microseconds);
int close(int descriptor);
ssize_t read(int descriptor, void *bytes, size_t count);
ssize_t write(int descriptor, const void *bytes, size_t count);
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset);
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset);
int ftruncate(int descriptor, off_t length);
int truncate(const char *path, off_t length);
int fsync(int descriptor);
int link(const char *path, const char *other);
int unlink(const char *path);
int isatty(int descriptor);
int getpagesize(void);
int pipe(int descriptors[2]);

// Source: xnu, bsd/sys/mman.h
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
#define MS_SYNC 0x0010
void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset);
int munmap(void *address, size_t length);
int msync(void *address, size_t length, int flags);

// Source: Libc, include/stdio.h, stdlib.h, malloc/_malloc.h, string.h
int rename(const char *from, const char *to);
// Source: xnu, bsd/sys/stdio.h
#define RENAME_SWAP 0x00000002
int renamex_np(const char *from, const char *to, unsigned int flags);
__attribute__((noreturn)) void abort(void);
void *malloc(size_t size);
__attribute__((availability(macos, introduced = 10.15))) __attribute__((availability(ios, introduced = 13.0)))
__attribute__((availability(tvos, introduced = 13.0))) __attribute__((availability(watchos, introduced = 6.0))) void *
aligned_alloc(size_t alignment, size_t size);
void free(void *memory);
char *getenv(const char *name);
char *realpath(const char *restrict path, char *restrict resolved);
char *strerror(int code);
void *memchr(const void *bytes, int byte, size_t count);
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *bytes, int byte, size_t count);
int memcmp(const void *one, const void *other, size_t count);

// Source: xnu, bsd/sys/sysctl.h and bsd/sys/utsname.h
int sysctlbyname(const char *name, void *old, size_t *oldLength, void *new, size_t newLength);
struct utsname {
    char sysname[256];
    char nodename[256];
    char release[256];
    char version[256];
    char machine[256];
};
int uname(struct utsname *names);

// Source: xnu, bsd/sys/resource.h
typedef uint64_t rlim_t;
#define RLIM_INFINITY (((uint64_t)1 << 63) - 1)
#define RLIMIT_FSIZE 1
struct rlimit {
    rlim_t rlim_cur;
    rlim_t rlim_max;
};
int getrlimit(int resource, struct rlimit *limit);

// Source: xnu, bsd/sys/signal.h
typedef void (*sig_t)(int);
#define SIGKILL 9
#define SIGPIPE 13
sig_t signal(int number, sig_t handler);
int kill(pid_t process, int number);

// Source: xnu, bsd/sys/socket.h, bsd/netinet/in.h
typedef uint8_t sa_family_t;
typedef uint32_t socklen_t;
typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;
struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};
struct in_addr {
    in_addr_t s_addr;
};
struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
#define AF_INET 2
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_RCVTIMEO 0x1006
#define SO_NOSIGPIPE 0x1022
#define SHUT_WR 1
#define SHUT_RDWR 2
int socket(int domain, int type, int protocol);
int bind(int descriptor, const struct sockaddr *address, socklen_t length);
int listen(int descriptor, int backlog);
int accept(int descriptor, struct sockaddr *address, socklen_t *length);
int getsockname(int descriptor, struct sockaddr *address, socklen_t *length);
int setsockopt(int descriptor, int level, int option, const void *value, socklen_t length);
ssize_t send(int descriptor, const void *bytes, size_t count, int flags);
ssize_t recv(int descriptor, void *bytes, size_t count, int flags);
int shutdown(int descriptor, int how);

// Source: libpthread, include/sys/qos.h, include/pthread/qos.h
typedef enum : unsigned int { QOS_CLASS_UTILITY = 0x11 } qos_class_t;
__attribute__((availability(macos, introduced = 10.10), availability(ios, introduced = 8.0))) int
pthread_set_qos_class_self_np(qos_class_t class, int priority);

#if __ENVIRONMENT_MAC_OS_X_VERSION_MIN_REQUIRED__
#include <Mac.h>
#endif
