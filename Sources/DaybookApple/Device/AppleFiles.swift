import DaybookJournal

/// The file system for a pipeline's directory on Apple's systems: files are excluded from backups and, where the system
/// encrypts files by class, can be written after the first unlock.
///
/// ```swift
/// let pipeline = try Pipeline(store: .directory(folder, files: AppleFiles.system())) { … }
/// ```
///
/// Only the device that made the records sends them: from a backup, another device would send them again. A Mac has no
/// protection classes. On Linux nothing is set.
public enum AppleFiles {
    /// When the files may be read and written. Source: Apple, *Encrypting Your App's Files*.
    public enum Protection: Sendable, Hashable, CaseIterable {
        /// From the first unlock after a restart, locked or not: for an app that works in the background. Before the
        /// first unlock, records stay in memory. The default.
        case afterFirstUnlock
        /// While the device is unlocked. Once it is locked, open files stay usable and new ones can be created; an app
        /// started then cannot open what an earlier launch left, and keeps its records in memory.
        case unlessOpen
    }

    /// The real file system, which prepares files and directories before anything is written to them.
    ///
    /// An attribute that cannot be set (on a volume without protection classes) is skipped.
    /// - Parameters:
    ///   - protection: Default: ``Protection/afterFirstUnlock``. Complete protection is not offered: the journal's
    ///     files are mapped, and an app that touches an unreadable mapping is terminated.
    ///   - isBackedUp: Whether the files are included in backups. Default: no.
    public static func system(
        protection: Protection = .afterFirstUnlock, isBackedUp: Bool = false
    ) -> PosixFileSystem {
        #if canImport(Darwin)
            PosixFileSystem { path in prepare(path, protection: protection, isBackedUp: isBackedUp) }
        #else
            PosixFileSystem()
        #endif
    }
}

#if canImport(Darwin)
    import Foundation

    extension AppleFiles {
        static func prepare(_ path: String, protection: Protection, isBackedUp: Bool) {
            #if !os(macOS)
                try? FileManager.default.setAttributes([.protectionKey: protection.type], ofItemAtPath: path)
            #endif
            guard !isBackedUp else { return }
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            var url = URL(fileURLWithPath: path)
            try? url.setResourceValues(values)
        }
    }

    extension AppleFiles.Protection {
        fileprivate var type: FileProtectionType {
            switch self {
            case .afterFirstUnlock: .completeUntilFirstUserAuthentication
            case .unlessOpen: .completeUnlessOpen
            }
        }
    }
#endif
