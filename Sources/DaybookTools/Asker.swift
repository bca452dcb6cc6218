/// The origin of requests: a key, or an address without one. Task-local during a request, so that shared resources can
/// be divided fairly.
package struct Asker: Hashable, Sendable {
    /// The current request's asker; `nil` outside requests, for the program itself.
    @TaskLocal package static var current: Asker?

    /// A seeded hash, since the name may be secret; nobody can construct a collision.
    private let mark: Int

    package init(name: String) {
        var hasher = Hasher()
        hasher.combine(name)
        mark = hasher.finalize()
    }
}
