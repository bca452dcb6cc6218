import Foundation

extension Error {
    /// Why the system did not do something with a file: `Is a directory`. Foundation's own description leaves that out, or
    /// names a number of its own.
    package var fileReason: String {
        // On Linux a `POSIXError`, or an `NSError`: both are errors.
        guard let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error,
            case let system = underlying as NSError, system.domain == NSPOSIXErrorDomain
        else { return localizedDescription }
        return String(cString: strerror(Int32(truncatingIfNeeded: system.code)))
    }
}
