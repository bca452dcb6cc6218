/// Which Daybook this is.
package enum Release {
    /// The version, as in the changelog.
    package static let version = "0.1.0"
}
