#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// The cache of the drive under a file system.
package enum DriveCache {
    /// Makes what was written to a file, or a folder's entries, survive a power failure.
    /// - Returns: whether that succeeded; otherwise `errno` says why not.
    package static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // Its `fsync` ends in the cache. Some file systems lack this command.
            if fcntl(descriptor, F_FULLFSYNC) != -1 { return true }
            guard errno == ENOTSUP || errno == EINVAL else { return false }
        #endif
        return fsync(descriptor) == 0
    }
}
