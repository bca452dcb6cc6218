/// Who asks: requests of one key, or of one address without a key, have the same. It is known in all that a request does,
/// so that what many share can be shared out fairly.
package struct Asker: Hashable, Sendable {
    /// The asker of the request that is being answered; `nil` outside of requests, for the program itself.
    @TaskLocal package static var current: Asker?

    /// Of a name that may be a secret: it is not kept, and nobody can choose another name with the same mark.
    private let mark: Int

    package init(name: String) {
        var hasher = Hasher()
        hasher.combine(name)
        mark = hasher.finalize()
    }
}
