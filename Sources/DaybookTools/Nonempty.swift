extension Collection {
    /// `nil` if empty.
    package var nonempty: Self? { isEmpty ? nil : self }
}
