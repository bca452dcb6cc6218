import Foundation

extension Error {
    /// The system's reason for a failed file operation, such as `Is a directory`; Foundation's description omits it or
    /// shows its own code.
    package var fileReason: String {
        // A `POSIXError` on Linux, otherwise an `NSError`.
        guard let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error,
            case let system = underlying as NSError, system.domain == NSPOSIXErrorDomain
        else { return localizedDescription }
        return String(cString: strerror(Int32(truncatingIfNeeded: system.code)))
    }
}
