import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookTools
import Foundation

/// Passes a checklist and a persona to a phone: shows a code on the desktop, which the phone redeems.
///
/// Anyone with the inspector's token can see the code, and the phone has nothing else; it only allows redeeming.
final class PairingAPI: Sendable {
    private let desk: PairingDesk
    private let board: ChecklistBoard
    private let runs: RunsAPI
    private let uptime: @Sendable () -> Duration
    private let codes = Mutex(PairingCodes())

    init(desk: PairingDesk, board: ChecklistBoard, runs: RunsAPI, uptime: @escaping @Sendable () -> Duration) {
        self.desk = desk
        self.board = board
        self.runs = runs
        self.uptime = uptime
    }

    /// The routes; without a desk, they answer that pairing is not available. A phone has a code instead of a token.
    static func routes(_ api: PairingAPI?) -> [HTTPRoute] {
        let pairing = { @Sendable () throws(Problem) -> PairingAPI in
            guard let api else {
                throw Problem(.notFound, "This inspector cannot pair phones; `daybook serve` can.")
            }
            return api
        }
        return [
            HTTPRoute("POST", "/api/v1/pairings", bodyLimit: 1_024) { try await pairing().open($0.body) },
            HTTPRoute("POST", "/api/v1/pairings/redeem", bodyLimit: 1_024, isOpen: true) {
                try await pairing().redeem($0.body)
            },
        ]
    }

    func open(_ bytes: [UInt8]) async throws -> HTTPResponse {
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
        var link = URLComponents()
        (link.scheme, link.host) = ("daybook", "pair")
        link.queryItems = [
            URLQueryItem(name: "collector", value: address.collector), URLQueryItem(name: "code", value: code.text),
        ]
        let text = link.string ?? ""
        return Envelope.success {
            $0.object {
                $0.key("link")
                $0.string(text)
                $0.key("collector")
                $0.string(address.collector)
                $0.key("local")
                $0.bool(address.isLocal)
                $0.key("seconds")
                $0.integer(PairingCodes.lifetime.components.seconds)
            }
        }
    }

    /// Redeems a code, which is then used up.
    func redeem(_ bytes: [UInt8]) async throws -> HTTPResponse {
        let (code, installation, build, device) = try RequestBody.read(
            bytes,
            "The body is a JSON object: {\"code\": \"…\", \"installation\": \"…\"}, with build and device if known."
        ) {
            ($0.text("code"), $0.text("installation"), $0.text(ifAny: "build"), $0.text(ifAny: "device"))
        }
        guard let offer = codes.withLock({ $0.redeem(code, at: uptime()) }) else {
            throw Problem(.unauthorized, "The code is wrong, used or too old: have the inspector show a new one.")
        }
        let chosen = try await offer.checklist.mapAsync { try await self.checklist($0, persona: offer.persona) }
        let run = try await offer.checklist.mapAsync { id in
            try await self.runs.begin(
                .init(
                    checklist: id, persona: offer.persona, tester: offer.tester, build: build,
                    installation: installation))
        }
        let words = ["pairing", offer.tester, device].compactMap { $0 }
        let key = desk.lend(words.joined(separator: ", "))
        return Envelope.success {
            $0.object {
                $0.key("key")
                $0.string(key?.text)
                $0.key("expires")
                $0.decimal(key?.expires)
                $0.key("tester")
                $0.string(offer.tester)
                $0.key("run")
                if let run { $0.integer(run) } else { $0.null() }
                $0.key("checklist")
                $0.checklist(chosen)
                $0.key("persona")
                $0.persona(offer.persona.flatMap { chosen?.checklist.personas?[$0] })
            }
        }
    }

    private func checklist(_ id: String, persona: String?) async throws -> NamedChecklist {
        let judged = try await board.named(id)
        if let persona, judged.checklist.personas?[persona] == nil {
            throw Problem(.badRequest, "The checklist has no persona “\(persona)”.")
        }
        return judged
    }
}

extension Optional {
    fileprivate func mapAsync<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}

extension JSONBuilder {
    fileprivate mutating func checklist(_ judged: NamedChecklist?) {
        guard let judged else { return null() }
        object {
            $0.key("id")
            $0.string(judged.id)
            $0.key("title")
            $0.string(judged.checklist.title)
            $0.key("markdown")
            $0.string(judged.checklist.source)
        }
    }

    fileprivate mutating func persona(_ persona: PersonaTable.Persona?) {
        guard let persona else { return null() }
        object {
            $0.key("name")
            $0.string(persona.name)
            $0.key("values")
            $0.object { writer in
                for (column, value) in persona.values.sorted(by: { $0.key < $1.key }) {
                    writer.key(column)
                    writer.checklistValue(value)
                }
            }
        }
    }
}

/// The pending codes (pure): each can be redeemed once, for a short time.
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

/// What a collector provides to an inspector for pairing phones: an address, and temporary keys.
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
    ///   - lend: Returns a new key with a name that tells an operator whose it is; `nil` if no key is needed.
    public init(
        address: @escaping @Sendable () -> Address, lend: @escaping @Sendable (_ name: String) -> LentKey?
    ) {
        self.address = address
        self.lend = lend
    }
}
