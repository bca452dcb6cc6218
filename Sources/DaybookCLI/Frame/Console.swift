import Foundation

/// Where a command writes: results to `output`, errors and progress to `errors`.
struct Console: Sendable {
    /// Takes text as it is, line ends included.
    var output: @Sendable (String) -> Void
    /// Takes text as it is, line ends included.
    var errors: @Sendable (String) -> Void

    /// The process's own streams.
    static let standard = Console(
        output: { FileHandle.standardOutput.write(Data($0.utf8)) },
        errors: { FileHandle.standardError.write(Data($0.utf8)) })
}
