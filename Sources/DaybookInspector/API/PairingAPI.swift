import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookTools

/// Passes a checklist and a persona to a phone: the desktop shows a code, which the phone redeems.
///
/// Anyone with the inspector's token can see the code. It only allows redeeming.
final class PairingAPI: Sendable {
    private let desk: PairingDesk
    private let board: ChecklistBoard
    private let runs: RunBook
    private let uptime: @Sendable () -> Duration
    private let codes = Mutex(PairingCodes())

    init(desk: PairingDesk, board: ChecklistBoard, runs: RunBook, uptime: @escaping @Sendable () -> Duration) {
        self.desk = desk
        self.board = board
        self.runs = runs
        self.uptime = uptime
    }

    /// Without a desk, they answer that pairing is not available. A phone has a code instead of a token.
    static func routes(_ api: PairingAPI?) -> [HTTPRoute] {
        let pairing = { @Sendable () throws(Problem) -> PairingAPI in
            guard let api else {
                throw Problem(.notFound, "This inspector cannot pair phones; `daybook serve` can.")
            }
            return api
        }
        return [
            HTTPRoute(Endpoints.pairing, bodyLimit: 1_024) { try await pairing().open($0.body) },
            HTTPRoute(Endpoints.pairingRedeem, bodyLimit: 1_024, isOpen: true) { try await pairing().redeem($0.body) },
        ]
    }

    func open(_ bytes: [UInt8]) async throws -> OfferedPairing {
        let offer = try RequestBody.read(
            bytes,
            "The body is a JSON object: {\"checklist\": \"…\", \"persona\": \"…\", \"tester\": \"…\"}, all optional."
        ) {
            PairingCodes.Offer(
                checklist: $0.text(ifAny: "checklist"), persona: $0.text(ifAny: "persona"),
                tester: $0.text(ifAny: "tester"))
        }
        if let id = offer.checklist {
            _ = try await checklist(id, persona: offer.persona)
        } else if let persona = offer.persona {
            throw Problem(.badRequest, "The persona “\(persona)” is one of a checklist: name it as checklist.")
        }
        let code = AccessToken()
        codes.withLock { $0.add(code, for: offer, at: uptime()) }
        let address = desk.address()
        return OfferedPairing(
            code: code.text, collector: address.collector, isLocal: address.isLocal, lifetime: PairingCodes.lifetime)
    }

    /// Redeems a code, which is then used up.
    func redeem(_ bytes: [UInt8]) async throws -> RedeemedPairing {
        let (code, installation, build, device) = try RequestBody.read(
            bytes,
            "The body is a JSON object: {\"code\": \"…\", \"installation\": \"…\"}, with build and device if known."
        ) {
            ($0.text("code"), $0.text("installation"), $0.text(ifAny: "build"), $0.text(ifAny: "device"))
        }
        guard let offer = codes.withLock({ $0.redeem(code, at: uptime()) }) else {
            throw Problem(.unauthorized, "The code is wrong, used or too old: have the inspector show a new one.")
        }
        var (chosen, run) = (NamedChecklist?.none, Int64?.none)
        if let id = offer.checklist {
            chosen = try await checklist(id, persona: offer.persona)
            run = try await runs.begin(
                RunStart(
                    checklist: id, persona: offer.persona, tester: offer.tester, build: build,
                    scope: RunScope(installation: installation)))
        }
        let words = ["pairing", offer.tester, device].compactMap { $0 }
        let key = desk.lend(words.joined(separator: ", "))
        return RedeemedPairing(
            key: key.map { ($0.text, $0.expires) }, tester: offer.tester, run: run, checklist: chosen,
            persona: offer.persona.flatMap { chosen?.checklist.personas?[$0] })
    }

    private func checklist(_ id: String, persona: String?) async throws -> NamedChecklist {
        let judged = try await board.named(id)
        if let persona, judged.checklist.personas?[persona] == nil {
            throw Problem(.badRequest, "The checklist has no persona “\(persona)”.")
        }
        return judged
    }
}

/// Pending codes (pure): each can be redeemed once, for a short time.
struct PairingCodes {
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
    /// A further code replaces the oldest.
    static let most = 8

    private var open: [Open] = []

    /// Adds a code.
    /// - Parameter now: From a monotonic clock.
    mutating func add(_ code: AccessToken, for offer: Offer, at now: Duration) {
        open.removeAll { $0.expires <= now }
        if open.count == Self.most { open.removeFirst() }
        open.append(Open(code: code, offer: offer, expires: now + Self.lifetime))
    }

    /// Uses up a code; `nil` if it is wrong, expired or used.
    mutating func redeem(_ code: String, at now: Duration) -> Offer? {
        open.removeAll { $0.expires <= now }
        // Compares every code, so that timing does not reveal which one matched.
        let matching = open.indices.filter { open[$0].code.matches(code) }
        return matching.first.map { open.remove(at: $0).offer }
    }
}

/// What a collector provides for pairing phones: an address, and temporary keys.
public struct PairingDesk: Sendable {
    /// Where a device sends its records.
    public struct Address: Sendable, Hashable {
        /// The collector's address, without a path: `https://logs.example:4318`.
        public var collector: String
        /// Whether only programs on the collector's own machine can reach it.
        public var isLocal: Bool

        /// Creates an address.
        public init(collector: String, isLocal: Bool) {
            self.collector = collector
            self.isLocal = isLocal
        }
    }

    /// A temporary key for sending records.
    public struct LentKey: Sendable {
        /// The key, as sent in `Authorization: Bearer KEY`.
        public var text: String
        /// When the key becomes invalid, in nanoseconds since 1970.
        public var expires: Int64

        /// Creates a key.
        public init(text: String, expires: Int64) {
            self.text = text
            self.expires = expires
        }
    }

    let address: @Sendable () -> Address
    let lend: @Sendable (_ name: String) -> LentKey?

    /// Creates a desk.
    /// - Parameters:
    ///   - address: Called at each pairing, because a server knows its port only when it runs.
    ///   - lend: Returns a new key under a name that tells an operator whose it is; `nil` if no key is needed.
    public init(
        address: @escaping @Sendable () -> Address, lend: @escaping @Sendable (_ name: String) -> LentKey?
    ) {
        self.address = address
        self.lend = lend
    }
}
