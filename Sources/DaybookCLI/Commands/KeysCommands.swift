import Daybook
import DaybookCollector
import Foundation

extension Command {
    private static let file = Option.value("keys", "FILE", "the file of keys", required: true)

    static let keysAdd = Command(
        name: "keys add", summary: "Create a key and print it",
        options: [
            file,
            .value(
                "for", "PURPOSE",
                "ingest (default): send records; metrics: read /metrics; read: read records, masked; "
                    + "manage: what the inspector's token may"),
        ] + Option.keyQuota,
        operands: ("NAME", 1...1),
        details: "The key is printed only now; the file keeps its hash. A running collector rereads the file. "
            + "A quota is for keys that send."
    ) { arguments, console in
        let path = try arguments.required("keys")
        let name = arguments.operands[0]
        guard name.contains(where: { !$0.isWhitespace }) else {
            throw UsageError(message: "a key needs a name, which identifies it in the list")
        }
        let word = arguments["for"] ?? StoredKey.Purpose.ingest.rawValue
        guard let purpose = StoredKey.Purpose(rawValue: word) else {
            throw UsageError(message: "--for takes ingest, metrics, read or manage, not `\(word)`")
        }
        if purpose != .ingest, let option = Option.keyQuota.first(where: { arguments[$0.name] != nil }) {
            throw UsageError(
                message: "--\(option.name) is for keys that send, and one made with --for \(word) does not")
        }
        try checkFolder(of: path)
        let quota: KeyQuota
        do {
            quota = try KeyQuota(arguments)
        } catch let error as SettingError {
            throw error.reason
        }
        let now = PipelineClock.system.wall()
        let key = try KeyFile.change(path, creates: true) { keys in
            var key = APIKey()
            while keys.contains(where: { $0.id == key.id }) { key = APIKey() }
            keys.append(StoredKey(key, name: name, purpose: purpose, created: now, quota: quota))
            return key
        }
        console.output(key.text + "\n")
        return .done
    }

    static let keysList = Command(
        name: "keys list", summary: "List the keys of a collector, without the keys themselves",
        options: [file, .flag("json", "print a JSON array")]
    ) { arguments, console in
        let keys = try KeyFile.read(try arguments.required("keys"))
        if arguments.has("json") {
            console.output(JSONWriter.text(.array(keys.map { .object(members(of: $0)) })).printableJSON + "\n")
        } else {
            for key in keys {
                let members = members(of: key).elements.dropFirst().map {
                    "\($0.key)=\(plain($0.value).printable)"
                }
                console.output("\(key.id.printable)  \(members.joined(separator: "  "))\n")
            }
        }
        return .done
    }

    static let keysRevoke = Command(
        name: "keys revoke", summary: "Revoke a key",
        options: [file], operands: ("ID", 1...1),
        details: "A running collector rereads the file within two seconds. Exit status 1 if there is no such key."
    ) { arguments, console in
        let path = try arguments.required("keys")
        let id = arguments.operands[0]
        try checkFolder(of: path)
        let named: [String]? = try KeyFile.change(path) { keys in
            let count = keys.count
            keys.removeAll { $0.id == id }
            return keys.count < count ? nil : keys.filter { $0.name == id }.map(\.id)
        }
        guard let named else { return .done }
        let advice = named.isEmpty ? "" : "; a key is revoked by its ID, and those of this name are: "
        console.errors("\(path) has no key \(id)\(advice)\(named.joined(separator: ", "))".printable + "\n")
        return .no
    }

    /// The change's lock file is in the same folder; report a missing folder by the key file's name.
    private static func checkFolder(of path: String) throws(InputError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw InputError(file: path, message: "the folder \(folder) does not exist; make it first")
        }
    }

    private static func members(of key: StoredKey) -> Attributes {
        var members: Attributes = [
            "id": .string(key.id), "name": .string(key.name), "for": .string(key.purpose.rawValue),
            "created": .string(Timestamp(nanoseconds: key.created).rfc3339(fractionDigits: 0)),
        ]
        members["requests_per_minute"] = key.quota.requestsPerMinute.map { .int(Int64($0)) }
        members["bytes_per_minute"] = key.quota.bytesPerMinute.map { .int(Int64($0)) }
        members["records_per_minute"] = key.quota.recordsPerMinute.map { .int(Int64($0)) }
        return members
    }

    private static func plain(_ value: Value) -> String {
        switch value {
        case .string(let text): text
        default: JSONWriter.text(value)
        }
    }
}

extension Option {
    static let keyQuota: [Option] = [
        .value("requests-per-minute", "COUNT", "at most this many requests with a key in a minute"),
        .value("bytes-per-minute", "COUNT", "at most this many bytes of bodies with a key in a minute, inflated"),
        .value("records-per-minute", "COUNT", "at most this many records with a key in a minute"),
    ]
}

extension KeyQuota {
    /// - Throws: ``SettingError``.
    init(_ arguments: Arguments) throws {
        self.init(
            requestsPerMinute: try Self.limit("requests-per-minute", arguments),
            bytesPerMinute: try Self.limit("bytes-per-minute", arguments),
            recordsPerMinute: try Self.limit("records-per-minute", arguments))
    }

    private static func limit(_ name: String, _ arguments: Arguments) throws -> Int? {
        try SettingError.reading(name, arguments) { text in
            guard let number = Int(text), number > 0 else {
                throw UsageError(message: "--\(name) takes a whole number above 0, not `\(text)`")
            }
            return number
        }.first
    }
}
