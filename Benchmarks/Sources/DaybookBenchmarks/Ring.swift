import CLimit
import Foundation
import Synchronization

final class CRing {
    private var ring = limit_ring()

    init(in directory: URL) throws {
        guard limit_ring_open(&ring, directory.appendingPathComponent("ring").path, 4 << 20) else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    deinit { limit_ring_close(&ring) }

    func log(_ count: Int) {
        Sample.keyword.withCString { keyword in
            Sample.visit.withCString { visit in
                var event = limit_event(
                    keyword: keyword, keyword_length: Sample.keyword.utf8.count, recipe: 42, position: 7,
                    is_cold: true, visit: visit, visit_length: Sample.visit.utf8.count)
                limit_log(&ring, &event, UInt64(count))
            }
        }
    }
}

/// The C ring in Swift, with strings and a mutex: the cost of the language.
final class SwiftRing: Sendable {
    private struct State {
        /// Sound: allocated once, and accessed with the mutex held.
        nonisolated(unsafe) let base: UnsafeMutableRawPointer
        var offset = 0
    }

    private static let size = 4 << 20
    private let state: Mutex<State>

    init() {
        let base = UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 4096)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
        state = Mutex(State(base: base))
    }

    deinit { state.withLock { $0.base.deallocate() } }

    @inline(never)
    func log(keyword: String, recipe: Int64, position: Int64, isCold: Bool, visit: String) {
        state.withLock { state in
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            if state.offset + 512 > Self.size { state.offset = 0 }
            let start = state.base + state.offset
            var cursor = Cursor(at: start + 4)
            cursor.put(Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
            cursor.put("recipe_search.search" as StaticString)
            cursor.put("A search started" as StaticString)
            cursor.put("keyword" as StaticString)
            cursor.put(keyword)
            cursor.put("recipe_id" as StaticString)
            cursor.put(recipe)
            cursor.put("position" as StaticString)
            cursor.put(position)
            cursor.put("is_cold" as StaticString)
            cursor.put(isCold ? 1 : 0 as Int64)
            cursor.put("visit" as StaticString)
            cursor.put(visit)
            let length = cursor.position - start
            start.storeBytes(of: UInt32(truncatingIfNeeded: length), as: UInt32.self)
            state.offset += (length + 7) & ~7
        }
    }

    private struct Cursor {
        var position: UnsafeMutableRawPointer

        init(at position: UnsafeMutableRawPointer) { self.position = position }

        @inline(__always)
        mutating func put(_ value: Int64) {
            position.storeBytes(of: value, as: Int64.self)
            position += 8
        }

        @inline(__always)
        mutating func put(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
            position.storeBytes(of: UInt8(truncatingIfNeeded: count), as: UInt8.self)
            (position + 1).copyMemory(from: bytes, byteCount: count)
            position += 1 + count
        }

        @inline(__always)
        mutating func put(_ text: StaticString) { put(text.utf8Start, text.utf8CodeUnitCount) }

        @inline(__always)
        mutating func put(_ text: String) {
            var text = text
            text.withUTF8 { utf8 in
                if let base = utf8.baseAddress { put(base, utf8.count) }
            }
        }
    }
}

/// A file written with 120 bytes per system call.
final class WrittenFile {
    private let descriptor: Int32
    private let line = [UInt8](repeating: 0x61, count: 120)

    init(in directory: URL) throws {
        descriptor = open(directory.appendingPathComponent("written").path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { close(descriptor) }

    func log(_ count: Int) {
        lseek(descriptor, 0, SEEK_SET)
        for _ in 0..<count { _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
    }
}

final class WrittenTable {
    private let log: UnsafeMutableRawPointer
    private let keyword = strdup(Sample.keyword)
    private let visit = strdup(Sample.visit)

    init(in directory: URL) throws {
        guard let log = sqlite_log_open(directory.appendingPathComponent("records.sqlite").path) else {
            throw CocoaError(.fileWriteUnknown)
        }
        self.log = log
    }

    deinit {
        sqlite_log_close(log)
        free(keyword)
        free(visit)
    }

    func log(_ count: Int) {
        var event = limit_event(
            keyword: keyword, keyword_length: Sample.keyword.utf8.count, recipe: 0, position: 7, is_cold: true,
            visit: visit, visit_length: Sample.visit.utf8.count)
        precondition(sqlite_log_insert(log, &event, UInt64(count)), "SQLite refused an event")
    }
}
