import DaybookProcesses
import Foundation
import Testing

struct SystemCallFault: Sendable, CustomTestStringConvertible {
    static let program = "/usr/bin/strace"

    let call: String
    let error: String
    /// Which calls of each thread, in the syntax of `strace`: `2`, `3+` from the third on, `1+3` every third.
    let when: String
    /// Whether every record still reaches the disk. If the disk accepts nothing, records stay in memory and die with
    /// the process.
    let keepsAll: Bool

    var testDescription: String { "\(call) \(error) \(when)" }

    static let all = [
        // On sealed segments.
        SystemCallFault(call: "ftruncate", error: "EIO", when: "1", keepsAll: true),
        SystemCallFault(call: "ftruncate", error: "EIO", when: "1+", keepsAll: true),
        SystemCallFault(call: "pwrite64", error: "EINTR", when: "1+3", keepsAll: true),
        SystemCallFault(call: "fdatasync", error: "EIO", when: "1+", keepsAll: false),
        SystemCallFault(call: "fdatasync", error: "EIO", when: "2+3", keepsAll: false),
        SystemCallFault(call: "pwrite64", error: "ENOSPC", when: "30+", keepsAll: false),
        SystemCallFault(call: "pwrite64", error: "EIO", when: "20+7", keepsAll: false),
        SystemCallFault(call: "fallocate", error: "ENOSPC", when: "1+", keepsAll: false),
        SystemCallFault(call: "fallocate", error: "EDQUOT", when: "1", keepsAll: false),
        SystemCallFault(call: "rename", error: "EIO", when: "1+", keepsAll: false),
    ]

    /// Runs `strace` as a grandchild, so that the process started and killed is the one that logs.
    func words(trace: String) -> [String] {
        [
            "-D", "-f", "-qq", "-o", trace, "-e", "trace=\(call)", "-e", "inject=\(call):error=\(error):when=\(when)",
        ]
    }

    /// Whether processes can be traced here; containers often forbid it.
    static let isPossible: Bool = {
        let process = try? ChildProcess(
            URL(fileURLWithPath: program),
            ["-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "/usr/bin/true"], errors: .null)
        return process?.wait() == .exited(status: 0)
    }()

    static let absence = "\(program) is missing, or may not trace processes here"
}
