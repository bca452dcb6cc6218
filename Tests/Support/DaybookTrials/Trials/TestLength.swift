import Foundation

/// How much tests of many trials do: some under `make test`, all under `make test-long`.
package enum TestLength {
    /// Whether the environment has `DAYBOOK_LONG_TESTS=1`, as in `make test-long`.
    package static let isLong = ProcessInfo.processInfo.environment["DAYBOOK_LONG_TESTS"] == "1"

    /// The number of trials: the first in an ordinary run, the second in a long one.
    package static func trials(_ ordinary: Int, long: Int) -> Int { isLong ? long : ordinary }
}
