import Foundation

/// Two files of a folder that change their names in one step, so that whoever swaps sees what had the name until then.
enum SwappedFiles {
    enum Outcome {
        case swapped
        /// The system or the file system cannot.
        case unsupported
        case failed(code: Int32)
    }

    /// Gives each of two files the other's name.
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
        /// `RENAME_EXCHANGE` of Linux.
        private static let flag: UInt32 = 2
        /// The C library's function, which Swift's header leaves out; `nil` where the library has none. It is of this type in
        /// every library that has it: its manual page says so.
        private static let renameat2 = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: Rename.self) }

        private static func exchange(_ one: String, _ other: String) -> Int32? {
            renameat2?(AT_FDCWD, one, AT_FDCWD, other, flag)
        }
    #endif
}
