import CZlib
import DaybookBase
import DaybookTools
import Foundation

/// Reads a file in chunks, so that its size does not matter. Inflates gzip (RFC 1952) with any number of members,
/// whatever the file name.
///
/// Not thread-safe.
final class FilePieces {
    private static let size = 1 << 18

    private let path: String
    private let handle: FileHandle
    private var hasBegun = false
    private var gzip: GzipMembers?

    /// - Parameter readsStandardInput: whether `-` means standard input. Default: `-` is an ordinary file.
    /// - Throws: ``InputError``.
    init(of path: String, readsStandardInput: Bool = false) throws(InputError) {
        self.path = path
        do throws(RegularFile.Failure) {
            handle =
                path == "-" && readsStandardInput
                ? .standardInput
                : FileHandle(
                    // `/dev/` has standard input and a shell's `<(…)`.
                    fileDescriptor: try RegularFile.open(
                        path, allowsPipes: readsStandardInput || path.hasPrefix("/dev/")), closeOnDealloc: true)
        } catch {
            throw InputError(file: path, message: "cannot be read: \(error)")
        }
    }

    /// `nil` at the end.
    /// - Throws: ``InputError`` if the file is unreadable, damaged, or in another compression format.
    func next() throws(InputError) -> Data? {
        if !hasBegun {
            hasBegun = true
            let first = try read()
            if let form = first.flatMap(Self.foreignForm) { throw InputError(file: path, message: form) }
            guard let first, first.starts(with: [0x1F, 0x8B]) else { return first }
            gzip = GzipMembers(first)
        }
        guard let gzip else { return try read() }
        while true {
            do throws(GzipMembers.Damage) {
                if let inflated = try gzip.next(atMost: Self.size) { return inflated }
                if let more = try self.more() { gzip.input = more } else { return try gzip.end() }
            } catch {
                throw InputError(file: path, message: "the gzip data is damaged: \(error.reason)")
            }
        }
    }

    private func more() throws(GzipMembers.Damage) -> Data? {
        do throws(InputError) { return try read() } catch { throw GzipMembers.Damage(reason: error.message) }
    }

    private func read() throws(InputError) -> Data? {
        do {
            return try handle.read(upToCount: Self.size).flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw InputError(file: path, message: "cannot be read: \(error.fileReason)")
        }
    }

    /// Recognizes unsupported formats by their first bytes.
    private static func foreignForm(_ start: Data) -> String? {
        if let encoding = ByteOrderMark.otherEncoding(of: start) { return "is \(encoding) text and must be UTF-8" }
        let known: [([UInt8], String)] = [
            ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0x42, 0x5A, 0x68], "bzip2"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz"),
            ([0x50, 0x4B, 0x03, 0x04], "zip"),
        ]
        if let name = known.first(where: { start.starts(with: $0.0) })?.1 {
            return "is compressed by \(name), which is not read: decompress it, or compress it with gzip"
        }
        if start.starts(with: Array("SQLite format 3".utf8)) {
            return "is a SQLite database, not a recording: `--store sqlite:FILE` names it as a store"
        }
        return nil
    }
}

private final class GzipMembers {
    struct Damage: Error { var reason: String }

    var input: Data
    /// On the heap at a fixed address, which zlib keeps.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isBetweenMembers = false

    init(_ input: Data) {
        self.input = input
        stream.initialize(to: z_stream())
        // 15 window bits, +16 for gzip only.
        _ = daybook_inflate_init(stream, 15 + 16)
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// `nil` if more input is needed.
    func next(atMost count: Int) throws(Damage) -> Data? {
        while !input.isEmpty {
            if isBetweenMembers {
                // Tapes and some archives pad with zeros.
                input = input.drop { $0 == 0 }
                if input.isEmpty { break }
                inflateReset(stream)
                isBetweenMembers = false
            }
            var code = Z_OK
            var bytes = Array(input)
            let inflated = [UInt8](unsafeUninitializedCapacity: count) { output, filled in
                bytes.withUnsafeMutableBufferPointer { bytes in
                    stream.pointee.next_in = bytes.baseAddress
                    stream.pointee.avail_in = uInt(bytes.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = uInt(count)
                    code = inflate(stream, Z_NO_FLUSH)
                }
                filled = count - Int(stream.pointee.avail_out)
            }
            input = input.suffix(Int(stream.pointee.avail_in))
            switch code {
            case Z_STREAM_END: isBetweenMembers = true
            case Z_OK, Z_BUF_ERROR: break
            default: throw Damage(reason: stream.pointee.msg.map { String(cString: $0) } ?? "code \(code)")
            }
            if !inflated.isEmpty { return Data(inflated) }
        }
        return nil
    }

    /// Call at the end of the input.
    func end() throws(Damage) -> Data? {
        guard isBetweenMembers else { throw Damage(reason: "it ends too early") }
        return nil
    }
}
