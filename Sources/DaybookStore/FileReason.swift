import Foundation

extension Error {
    /// The system's reason, such as `Is a directory`, which Foundation's description omits.
    package var fileReason: String {
        // A `POSIXError` on Linux, otherwise an `NSError`.
        guard let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error,
            case let system = underlying as NSError, system.domain == NSPOSIXErrorDomain
        else { return localizedDescription }
        return String(cString: strerror(Int32(truncatingIfNeeded: system.code)))
    }
}
