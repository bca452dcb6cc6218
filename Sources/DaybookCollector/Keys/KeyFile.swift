import DaybookBase
import DaybookTools

/// The key file: one JSON object per line, `#` begins a comment. A new file is readable by its owner only.
///
/// `{"id":"1f0c…","name":"ios","for":"ingest","created":"2026-11-20T10:00:00Z","sha256":"…","requests_per_minute":600}`
package enum KeyFile {
    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    private static let heading = "# Keys of a Daybook collector, as hashes; see `daybook keys --help`."
    /// Written when the last key is revoked. A file with neither keys nor this line has lost its keys.
    package static let hasNone = "# All keys are revoked."

    private typealias Line = (text: Substring, key: StoredKey?)

    /// - Throws: ``Problem`` with `FILE:LINE`.
    package static func read(_ path: String) throws(Problem) -> [StoredKey] { try contents(of: path).keys }

    /// The keys, and whether the file declares that all were revoked.
    /// - Throws: ``Problem`` with `FILE:LINE`.
    package static func contents(of path: String) throws(Problem) -> (keys: [StoredKey], saysNone: Bool) {
        do {
            guard let bytes = try OwnedFile.read(path) else { throw Problem(description: "\(path): is not there") }
            let lines = try lines(of: bytes, path: path)
            return (lines.compactMap(\.key), lines.contains { $0.text == hasNone })
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(description: "\(error)")
        }
    }

    /// Every line must be a comment, blank or a key, so that a rewrite drops nothing it does not understand.
    private static func lines(of bytes: [UInt8], path: String) throws(Problem) -> [Line] {
        guard let text = String(wellFormed: bytes) else {
            throw Problem(description: "\(path): is not UTF-8; restore it from a copy")
        }
        var lines: [Line] = []
        var ids: Set<String> = []
        for (index, line) in TextLines.split(text).enumerated() {
            let content = line.drop { $0 == " " || $0 == "\t" }
            if content.isEmpty || content.hasPrefix("#") {
                lines.append((line, nil))
                continue
            }
            let place = "\(path):\(index + 1)"
            guard !ConflictMarkers.isMarker(line) else {
                throw Problem(description: "\(place): \(ConflictMarkers.problem)")
            }
            let key = try self.key(of: content, place)
            guard ids.insert(key.id).inserted else {
                throw Problem(description: "\(place): the id \(key.id) occurs twice; remove one of the lines")
            }
            lines.append((line, key))
        }
        return lines
    }

    private static func key(of line: Substring, _ place: String) throws(Problem) -> StoredKey {
        let value: Value
        do throws(JSONError) {
            value = try JSONReader.value(of: Array(line.utf8))
        } catch {
            throw Problem(description: "\(place): \(error)")
        }
        guard case .object(let members) = value, case .string(let id)? = members["id"],
            case .string(let name)? = members["name"], case .string(let purpose)? = members["for"],
            let purpose = StoredKey.Purpose(rawValue: purpose), case .string(let created)? = members["created"],
            let created = Timestamp(rfc3339: created), case .string(let digits)? = members["sha256"],
            let digest = Hex.bytes(digits), digest.count == 32
        else {
            throw Problem(description: "\(place): this is not a key; `daybook keys add` writes the lines of this file")
        }
        var key = StoredKey(
            id: id, name: name, purpose: purpose, created: created.nanoseconds, quota: KeyQuota(), digest: digest)
        key.quota.requestsPerMinute = try limit("requests_per_minute", members, place)
        key.quota.bytesPerMinute = try limit("bytes_per_minute", members, place)
        key.quota.recordsPerMinute = try limit("records_per_minute", members, place)
        return key
    }

    private static func limit(_ name: String, _ members: Attributes, _ place: String) throws(Problem) -> Int? {
        switch members[name] {
        case nil, .null?: return nil
        case .int(let number)? where number > 0: return Int(number)
        default: throw Problem(description: "\(place): \(name) is a whole number above 0")
        }
    }

    /// Reads the keys, applies `body` and writes them back, under a lock against other processes.
    ///
    /// An existing file keeps its owner, group and mode, so that a collector run by another user can still read it; a
    /// new one gets
    /// 0600. Comments stay. If `body` throws or changes nothing, nothing is written.
    /// - Parameter creates: treat a missing file as empty instead of throwing.
    /// - Throws: ``Problem``, or what `body` throws.
    package static func change<Answer: Sendable>(
        _ path: String, creates: Bool = false, _ body: (inout [StoredKey]) throws -> Answer
    ) throws -> Answer {
        do {
            return try OwnedFile.edit(path, mode: 0o600) { bytes in
                guard creates || bytes != nil else { throw OwnedFile.Problem(.missing, "\(path) is not there") }
                let lines = try lines(of: bytes ?? Array(heading.utf8), path: path)
                let before = lines.compactMap(\.key)
                var keys = before
                let answer = try body(&keys)
                if keys != before { bytes = text(of: keys, over: lines, like: bytes ?? []) }
                return answer
            }
        } catch let problem as OwnedFile.Problem {
            throw Problem(description: problem.message)
        }
    }

    /// The file's bytes with other keys; all other lines stay.
    private static func text(of keys: [StoredKey], over lines: [Line], like before: [UInt8]) -> [UInt8] {
        let known = Set(lines.compactMap(\.key?.id))
        var texts = lines.filter { line in line.text != hasNone && (line.key.map(keys.contains) ?? true) }.map(\.text)
        while texts.last?.isEmpty == true { texts.removeLast() }
        texts += keys.filter { !known.contains($0.id) }.map { Substring(line($0)) }
        if keys.isEmpty { texts.append(Substring(hasNone)) }
        let end = TextLines.end(String(decoding: before, as: UTF8.self)) ?? "\n"
        return Array((texts.joined(separator: end) + end).utf8)
    }

    private static func line(_ key: StoredKey) -> String {
        var object: Attributes = [
            "id": .string(key.id), "name": .string(key.name), "for": .string(key.purpose.rawValue),
            "created": .string(Timestamp(nanoseconds: key.created).rfc3339(fractionDigits: 0)),
            "sha256": .string(Hex.text(key.digest)),
        ]
        object["requests_per_minute"] = key.quota.requestsPerMinute.map { .int(Int64($0)) }
        object["bytes_per_minute"] = key.quota.bytesPerMinute.map { .int(Int64($0)) }
        object["records_per_minute"] = key.quota.recordsPerMinute.map { .int(Int64($0)) }
        return JSONWriter.text(object)
    }
}

extension StoredKey {
    fileprivate init(
        id: String, name: String, purpose: Purpose, created: Int64, quota: KeyQuota, digest: [UInt8]
    ) {
        self.id = id
        self.name = name
        self.purpose = purpose
        self.created = created
        self.quota = quota
        self.digest = digest
    }
}
