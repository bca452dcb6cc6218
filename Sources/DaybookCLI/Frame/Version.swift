/// The version that `daybook version` prints.
enum Version {
    /// Follows semantic versioning; changes with the heading of a release in `CHANGELOG.md`.
    static let current = "0.1.0-dev"
}
