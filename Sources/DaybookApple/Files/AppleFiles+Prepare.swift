#if canImport(UIKit)
    import Foundation

    extension AppleFiles {
        /// Sets a path's protection class and its exclusion from backups.
        static func prepare(_ path: String, protection: Protection, isBackedUp: Bool) {
            try? FileManager.default.setAttributes([.protectionKey: protection.type], ofItemAtPath: path)
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
