package enum Release {
    /// As in the changelog.
    package static let version = "0.1.0"
}
