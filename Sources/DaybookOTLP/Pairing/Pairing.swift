import Daybook
import Foundation

/// What a desktop inspector passes to a phone: where to send records, the checklist, and the persona.
public struct Pairing: Sendable, Hashable {
    /// A checklist, as in its file.
    public struct Checklist: Sendable, Hashable {
        /// The file's name without `.md`.
        public var id: String
        public var title: String
        /// For `Checklist(markdown:file:)` of `DaybookChecklist`.
        public var markdown: String
    }

    /// The persona to take on: a row of the checklist's table.
    public struct Persona: Sendable, Hashable {
        public var name: String
        /// The values by column, such as `plan`.
        public var values: Attributes
    }

    public var collector: URL
    /// The key for sending records; `nil` if the collector requires none.
    public var key: String?
    /// When the key ends; `nil` without a key.
    public var expires: Date?
    /// The number of the run that has begun; `nil` without a checklist.
    public var run: Int64?
    public var checklist: Checklist?
    public var persona: Persona?
    /// Who tests, as stated on the desktop.
    public var tester: String?

    /// Redeems a code, which can be used once.
    /// - Parameters:
    ///   - link: The link on the desktop's screen.
    ///   - installation: `installation` of the app's pipeline, whose records form the run.
    ///   - build: The app's version, for the board of runs. Default: none.
    ///   - device: The device's name, for the list of keys. Default: none.
    ///   - transport: Default: `DefaultTransport`.
    /// - Throws: ``PairingError``.
    public static func redeem(
        _ link: PairingLink, installation: String, build: String? = nil, device: String? = nil,
        transport: any HTTPTransport = DefaultTransport()
    ) async throws(PairingError) -> Pairing {
        var body: Attributes = ["code": .string(link.code), "installation": .string(installation)]
        body["build"] = build.map { .string($0) }
        body["device"] = device.map { .string($0) }
        let request = TransportRequest(
            url: link.collector.appendingPathComponent("api/v1/pairings/redeem"),
            headers: ["content-type": "application/json"], body: Array(JSONWriter.text(body).utf8),
            timeout: .seconds(15))
        let response: TransportResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw PairingError(
                code: .notReached,
                description: "\(link.collector.absoluteString) does not answer (\(error.localizedDescription)). Is the "
                    + "device in the same network, and does it trust the collector's certificate?")
        }
        return try Pairing(response, from: link.collector)
    }

    private init(_ response: TransportResponse, from collector: URL) throws(PairingError) {
        guard case .object(let envelope)? = try? JSONReader.value(of: response.body) else {
            throw Self.notUnderstood(response, collector)
        }
        guard response.status == 200, case .object(let data)? = envelope["data"] else {
            guard case .object(let error)? = envelope["error"], case .string(let message)? = error["message"] else {
                throw Self.notUnderstood(response, collector)
            }
            throw PairingError(code: .refused, description: message)
        }
        self.collector = collector
        key = data.text("key")
        expires = data.text("expires").flatMap { Int64($0) }.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
        tester = data.text("tester")
        if case .int(let number)? = data["run"] { run = number }
        if case .object(let checklist)? = data["checklist"], let id = checklist.text("id"),
            let markdown = checklist.text("markdown")
        {
            self.checklist = Checklist(id: id, title: checklist.text("title") ?? id, markdown: markdown)
        }
        if case .object(let persona)? = data["persona"], let name = persona.text("name") {
            guard case .object(let values)? = persona["values"] else { throw Self.notUnderstood(response, collector) }
            self.persona = Persona(name: name, values: values)
        }
    }

    private static func notUnderstood(_ response: TransportResponse, _ collector: URL) -> PairingError {
        PairingError(
            code: .notUnderstood,
            description:
                "\(collector.absoluteString) does not answer like a collector (status \(response.status)). Show a new code "
                + "with `daybook serve` of this version.")
    }
}

extension Attributes {
    fileprivate func text(_ name: String) -> String? { self[name]?.text }
}

public struct PairingError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable, CustomStringConvertible {
        /// No response: another network, an untrusted certificate, or no collector.
        case notReached
        /// The code was used, expired or wrong: a new one is needed.
        case refused
        /// The response was not from a collector.
        case notUnderstood

        public var description: String {
            switch self {
            case .notReached: "notReached"
            case .refused: "refused"
            case .notUnderstood: "notUnderstood"
            }
        }
    }

    public var code: Code
    /// A sentence to show the user, with what to do.
    public var description: String
}
