import DaybookBase
import DaybookStore
import DaybookTools
import Foundation

/// The keys in a file: one JSON object a line, `#` begins a comment. Readable by its owner alone.
///
/// `{"id":"1f0c…","name":"ios","for":"ingest","created":"2026-11-20T10:00:00Z","sha256":"…","requests_per_minute":600}`
package enum KeyFile {
    /// A file that cannot be used.
    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    /// Bytes of a file at most: of tens of thousands of keys.
    private static let longest = 16 << 20

    /// The keys of a file.
    /// - Throws: ``Problem`` with `FILE:LINE`.
    package static func read(_ path: String) throws(Problem) -> [StoredKey] {
        let bytes: [UInt8]
        do throws(RegularFile.Failure) {
            bytes = try RegularFile.bytes(of: path, limit: longest)
        } catch {
            throw Problem(description: "\(path): cannot be read: \(error)")
        }
        guard bytes.count <= longest, let text = String(wellFormed: bytes) else {
            throw Problem(description: "\(path): is not UTF-8 text of at most \(longest) bytes")
        }
        return try keys(of: text, path: path)
    }

    /// The keys of a file's text.
    static func keys(of text: String, path: String) throws(Problem) -> [StoredKey] {
        var keys: [StoredKey] = []
        var ids: Set<String> = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.isEmpty || line == "\r" || line.hasPrefix("#") { continue }
            let place = "\(path):\(index + 1)"
            let key = try self.key(of: line, place)
            guard ids.insert(key.id).inserted else {
                throw Problem(description: "\(place): the id \(key.id) occurs twice; remove one of the lines")
            }
            keys.append(key)
        }
        return keys
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

    /// Reads the keys of a file, lets `body` change them, and writes them back; meanwhile no other process changes the file.
    ///
    /// What guards it is a lock (`flock`) on a file beside it, for the file of the keys is replaced by each change. Waits
    /// for a change that is under way. Where `body` throws, or changes nothing, nothing is written.
    /// - Parameter creates: whether a file that is not there is one without keys, and not an error.
    /// - Throws: ``Problem``, or what `body` throws.
    package static func change<Answer>(
        _ path: String, creates: Bool = false, _ body: (inout [StoredKey]) throws -> Answer
    ) throws -> Answer {
        // The file that a link names is the one that is replaced, and not the link.
        let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
        let path = isLink ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Problem(description: "\(path).lock: \(String(cString: strerror(errno)))") }
        // Closing lets go of the lock. Its file stays: were it removed, two could hold locks on files of one name.
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw Problem(description: "\(path).lock: \(String(cString: strerror(errno)))")
            }
        }
        let before = creates && !FileManager.default.fileExists(atPath: path) ? [] : try read(path)
        var keys = before
        let answer = try body(&keys)
        if keys != before { try write(keys, to: path) }
        return answer
    }

    /// Writes a file in one step. A file that is there keeps its owner, its group and who may read it, so that a collector
    /// of another user still can; a new one is readable by its owner alone.
    /// - Throws: ``Problem``.
    package static func write(_ keys: [StoredKey], to path: String) throws(Problem) {
        let text = "# Keys of a Daybook collector, as hashes; see `daybook keys --help`.\n" + keys.map(line).joined()
        let temporary = path + ".new"
        let manager = FileManager.default
        try? manager.removeItem(atPath: temporary)
        guard
            manager.createFile(
                atPath: temporary, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw Problem(description: "\(path): cannot be written: \(String(cString: strerror(errno)))") }
        var former = stat()
        if stat(path, &former) == 0, chown(temporary, former.st_uid, former.st_gid) == 0 {
            chmod(temporary, former.st_mode & 0o777)
        }
        guard rename(temporary, path) == 0 else {
            throw Problem(description: "\(path): cannot be written: \(String(cString: strerror(errno)))")
        }
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
        return JSONWriter.text(object) + "\n"
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
