/// Whether the store takes records, told when it changes (pure): the refusals that follow are counted by the minute.
struct StoreReport {
    private var isFailing = false

    /// What is to be told now.
    /// - Parameter failure: why the last batch was not stored; `nil` where it was.
    mutating func next(_ failure: String?) -> (message: String, isFailure: Bool)? {
        guard isFailing != (failure != nil) else { return nil }
        isFailing = failure != nil
        guard let failure else { return ("The store takes records again.", false) }
        return ("Records are refused with 503, for the store failed: \(failure)", true)
    }
}
