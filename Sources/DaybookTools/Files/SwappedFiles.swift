import Foundation

/// Atomically swaps the names of two files in a folder, which reveals the file that had the name until then.
enum SwappedFiles {
    enum Outcome {
        case swapped
        /// Not supported by the system or file system.
        case unsupported
        case failed(code: Int32)
    }

    static func swap(_ one: String, _ other: String) -> Outcome {
        guard let result = exchange(one, other) else { return .unsupported }
        if result == 0 { return .swapped }
        return [EINVAL, ENOSYS, ENOTSUP, EPERM].contains(errno) ? .unsupported : .failed(code: errno)
    }

    #if canImport(Darwin)
        private static func exchange(_ one: String, _ other: String) -> Int32? {
            renamex_np(one, other, UInt32(RENAME_SWAP))
        }
    #else
        private typealias Rename =
            @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
        /// Linux's `RENAME_EXCHANGE`.
        private static let flag: UInt32 = 2
        /// The C library's function, which Swift's header lacks; `nil` if the library has none. The cast is sound: its
        /// manual page defines this type for every library.
        private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Rename.self) }

        private static func exchange(_ one: String, _ other: String) -> Int32? {
            renameat2?(AT_FDCWD, one, AT_FDCWD, other, flag)
        }
    #endif
}
