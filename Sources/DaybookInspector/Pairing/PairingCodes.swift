/// The codes that wait for a phone (pure): each opens once, and for a short time.
struct PairingCodes {
    /// What a code hands over.
    struct Offer: Hashable {
        var checklist: String?
        var persona: String?
        var tester: String?
    }

    private struct Open {
        var code: AccessToken
        var offer: Offer
        var expires: Duration
    }

    /// Long enough to find the phone and point it at the screen.
    static let lifetime = Duration.seconds(300)
    /// A further code takes the place of the oldest.
    static let most = 8

    private var open: [Open] = []

    /// Makes a code known.
    /// - Parameter now: a clock that only goes forward.
    mutating func add(_ code: AccessToken, for offer: Offer, at now: Duration) {
        open.removeAll { $0.expires <= now }
        if open.count == Self.most { open.removeFirst() }
        open.append(Open(code: code, offer: offer, expires: now + Self.lifetime))
    }

    /// Uses a code up; `nil` for one that is wrong, too old or used.
    mutating func redeem(_ code: String, at now: Duration) -> Offer? {
        open.removeAll { $0.expires <= now }
        // Every code is compared, so that the time tells nothing of which one it was.
        let matching = open.indices.filter { open[$0].code.matches(code) }
        return matching.first.map { open.remove(at: $0).offer }
    }
}
