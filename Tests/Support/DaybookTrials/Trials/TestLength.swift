import Foundation

/// How much a test of many trials does: `make test` gives each some, `make test-long` all.
package enum TestLength {
    /// Whether the environment has `DAYBOOK_LONG_TESTS=1`, as in `make test-long`.
    package static let isLong = ProcessInfo.processInfo.environment["DAYBOOK_LONG_TESTS"] == "1"

    /// So many trials: the first number in an ordinary run, the second in a long one.
    package static func trials(_ ordinary: Int, long: Int) -> Int { isLong ? long : ordinary }
}
