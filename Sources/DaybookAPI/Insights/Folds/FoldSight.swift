import DaybookStore
import DaybookTools

/// What a fold may keep in memory.
package struct FoldBounds: Sendable {
    /// Bytes for the people of a pass. Default: 96 MiB.
    package var memory = 96 << 20
    /// Events that are sorted at once: 24 bytes each, twice. Default: 1,048,576.
    package var sorted = 1 << 20
    /// Ways, or pairs of a person and a path, of a pass: 24 bytes each. Default: 2,097,152.
    package var found = 2 << 20
    /// Pairs of a person and a version whose numbers are kept for a slice: 4 bytes each. Default: 1,048,576.
    package var pairs = 1 << 20
    /// Different tags, versions, or values of a column. Default: 200,000.
    package var names = 200_000
    /// What the answer is made of: times to a median, or different paths. Default: 8,388,608.
    package var answer = 8 << 20

    package init() {}

    /// - Parameter column: Which of several columns has most of them.
    func check(names count: Int, mostOf column: String? = nil) throws(StoreError) {
        guard count > names else { return }
        if let column {
            throw StoreError(
                .limit,
                "There are more than \(names) different values, most of them of \(column.boundedName). Narrow it by time, or "
                    + "leave that out.")
        }
        throw StoreError(
            .limit, "There are more than \(names) different tags, versions or values. Narrow it by version, or by time."
        )
    }

    func check(answer count: Int) throws(StoreError) {
        guard count > answer else { return }
        throw StoreError(.limit, "The answer is of more than \(answer) times or paths. Narrow it by time.")
    }
}

/// How a fold reads records.
package struct FoldSight: Sendable {
    /// Tests see stand-ins for private values and credentials; people are counted by their values all the same. Default
    /// `nil`: all values are seen.
    package var masking: MaskingPolicy?
    package var bounds = FoldBounds()

    package init(masking: MaskingPolicy? = nil) { self.masking = masking }
}
