/// What a sequence number can be.
enum Sequences {
    /// No journal lives to count so far: a higher number in a file is damage, and would overflow what is added to it.
    static let highest: UInt64 = 1 << 62
}
