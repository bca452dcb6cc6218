import DaybookJournal

/// Reads a journal's directory without taking its lock or changing it, even during writes.
public struct JournalInspection: Sendable {
    private let names: JournalFiles
    private let files: any JournalFileSystem

    public init(directory: String, files: any JournalFileSystem = PosixFileSystem()) {
        names = JournalFiles(directory: directory)
        self.files = files
    }

    /// Verifies every segment and cursor, and lists the rings.
    ///
    /// - Throws: If the directory cannot be listed; an unreadable file is a problem in the report.
    public func check() throws(JournalFileError) -> JournalReport {
        var report = JournalReport()
        var scans: [Scanned] = []
        for name in try segmentNames() {
            if let scanned = check(name, &report) { scans.append(scanned) }
        }
        let rings = rings()
        for (name, ring) in rings {
            let own = scans.last { $0.header.salt == ring.header.salt }
            let logged = own?.scan.summary.lastSequence ?? 0
            let missing = ring.frames.filter { $0.sequence > logged }
            report.rings.append(
                .init(
                    name: name, byteCount: ring.image.byteCount, stream: ring.header.stream,
                    frames: UInt64(missing.count), records: UInt64(missing.count { $0.flags.isCounted && $0.mask != 0 })
                ))
        }
        judge(scans, rings.flatMap { $0.scan.frames.map(\.sequence) }, &report)
        checkCursors(&report)
        let entries = try files.names(in: names.directory).sorted()
        report.writers = entries.filter { $0.hasPrefix("writer-") && !$0.hasSuffix(JournalFiles.temporarySuffix) }
        report.setAside = ((try? files.names(in: names.setAside)) ?? []).sorted()  // usually missing
        return report
    }

    /// Passes every valid frame to `visit`, in order, until it returns `false`. Rings come last, with frames that no
    /// segment has.
    ///
    /// - Throws: If the directory cannot be listed, and what `visit` throws.
    public func dump(_ visit: (DumpedFrame) throws -> Bool) throws {
        // Rings first, so that frames moved to segments meanwhile are not missed.
        let rings = rings()
        var logged: [UInt64: UInt64] = [:]
        for name in try segmentNames() {
            guard let (image, header, _) = try? load(name) else { continue }  // `check` reports it
            var frames: [(Frame, [UInt8])] = []
            scan(image, header) { frames.append(($0, Array($1))) }
            for (frame, payload) in frames {
                logged[header.salt] = frame.sequence
                guard try visit(DumpedFrame(frame, payload, in: name, header.stream, header.outputs)) else { return }
            }
        }
        for (name, ring) in rings {
            var outputs = ring.header.outputs
            let last = logged[ring.header.salt] ?? 0
            for frame in ring.frames {
                let payload = withExtendedLifetime(ring.image) {
                    Array(
                        UnsafeRawBufferPointer(
                            start: ring.image.start + frame.offset + FrameLayout.headerBytes, count: frame.payloadBytes)
                    )
                }
                if frame.flags.contains(.outputsChange),
                    let table = payload.withUnsafeBytes({ OutputTable(decoding: $0) })
                {
                    outputs = table
                }
                guard frame.sequence > last else { continue }
                guard try visit(DumpedFrame(frame, payload, in: name, ring.header.stream, outputs)) else { return }
            }
        }
    }

    /// Readable, non-empty rings; those of earlier launches first.
    private func rings() -> [(name: String, scan: RingScan)] {
        let found = ((try? files.names(in: names.directory)) ?? []).filter(JournalFiles.isOldRing).sorted()
        return (found + [JournalFiles.ring]).compactMap { name in
            var failures: [JournalFileError] = []
            let image = try? SegmentImage(  // version 1 has no ring
                path: names.path(name), limit: SegmentImage.longestRing, files: files, failures: &failures)
            return image.flatMap { RingScan($0) }.map { (name, $0) }
        }
    }

    private struct Scanned {
        let name: String
        let header: SegmentHeader
        let scan: SegmentScan
        let seal: SegmentSeal?
    }

    private func segmentNames() throws(JournalFileError) -> [String] {
        try files.names(in: names.directory).filter { JournalFiles.firstSequence(ofSegment: $0) != nil }.sorted()
    }

    /// A file's bytes and header, and whether the header is a copy. `nil` if all copies are damaged.
    private func load(_ name: String) throws(JournalFileError) -> (SegmentImage, SegmentHeader, Bool)? {
        var failures: [JournalFileError] = []
        let image = try SegmentImage(
            path: names.path(name), limit: SegmentImage.longest, files: files, failures: &failures)
        if let failure = failures.first { throw failure }
        return SegmentHeader.find(in: image.bytes).map { (image, $0.header, $0.fromCopy) }
    }

    @discardableResult
    private func scan(
        _ image: SegmentImage, _ header: SegmentHeader, visit: (Frame, UnsafeRawBufferPointer) -> Void = { _, _ in }
    ) -> SegmentScan? {
        withExtendedLifetime(image) {
            let limit = header.framesLimit(fileBytes: image.bytes.count)
            guard limit >= header.framesOffset else { return nil }
            return SegmentScan(
                FrameBytes(base: image.start, header: header, limit: limit), header: header, visit: visit)
        }
    }

    private func check(_ name: String, _ report: inout JournalReport) -> Scanned? {
        func note(_ message: String, at offset: Int = 0) {
            report.problems.append(.init(severity: .damage, file: name, offset: offset, message: message))
        }
        do throws(JournalFileError) {
            guard let (image, header, isCopy) = try load(name) else {
                note("the header and its copy are damaged; the next open sets this file aside")
                return nil
            }
            if isCopy { note("the header is damaged; its copy is good") }
            if name != JournalFiles.segmentName(first: header.firstSequence) {
                note("the header has the first sequence \(header.firstSequence); the next open sets this file aside")
                return nil
            }
            guard let scan = scan(image, header) else {
                note("the file is shorter than its header says; the next open sets it aside")
                return nil
            }
            let seal = SegmentSeal.decode(image.bytes, header: header)
            if let seal, seal.summary.frames != scan.summary.frames {
                note(
                    "sealed with \(seal.summary.frames) frames, of which \(scan.summary.frames) are good",
                    at: header.byteCount)
            }
            if scan.hasTornTail {
                report.problems.append(
                    .init(
                        severity: seal == nil ? .loss : .damage, file: name, offset: scan.summary.end,
                        message: "the last frame is incomplete"))
            }
            report.segments.append(
                .init(
                    name: name, byteCount: image.bytes.count, stream: header.stream, outputs: header.outputs.ids,
                    firstSequence: header.firstSequence, lastSequence: scan.summary.lastSequence,
                    frames: scan.summary.frames, records: scan.summary.counted, isSealed: seal != nil))
            return Scanned(name: name, header: header, scan: scan, seal: seal)
        } catch {
            note(error.description)
            return nil
        }
    }

    /// Holes, within a segment or between two, are damage below the watermark and losses above it.
    ///
    /// - Parameter inRings: The rings' sequences.
    private func judge(_ scans: [Scanned], _ inRings: [UInt64], _ report: inout JournalReport) {
        let watermark = scans.map(\.scan.summary.syncedThrough).max() ?? 0
        for (scanned, next) in zip(scans, scans.dropFirst()) {
            let (last, first) = (scanned.scan.summary.lastSequence, next.header.firstSequence)
            guard first > last, first - last - 1 > Set(inRings.filter { last < $0 && $0 < first }).count else {
                continue
            }
            report.problems.append(
                .init(
                    severity: last < watermark ? .damage : .loss, file: next.name, offset: 0,
                    message: "sequences \(last + 1) to \(first - 1) are missing: what stood between this segment and "
                        + "\(scanned.name) is gone"))
        }
        for scanned in scans where scanned.seal?.isRecovered != true {
            for hole in scanned.scan.holes {
                report.problems.append(
                    .init(
                        severity: hole.after < watermark ? .damage : .loss, file: scanned.name, offset: hole.offset,
                        message: "no valid frame for \(hole.end - hole.offset) bytes: sequences "
                            + "\(hole.after + 1) to \(hole.before - 1) are missing"))
            }
        }
    }

    private func checkCursors(_ report: inout JournalReport) {
        let found = ((try? files.names(in: names.cursors)) ?? []).sorted()  // missing if the journal was never opened
        for name in found where name.hasSuffix(JournalFiles.cursorSuffix) {
            let path = "cursors/" + name
            do throws(JournalFileError) {
                let file = try files.open(names.path(path), .read)
                defer { files.close(file) }
                let bytes = try files.readPrefix(file, CursorSlot.fileBytes)
                let slots = bytes.withUnsafeBytes { buffer in
                    [0, CursorSlot.byteCount].compactMap { CursorSlot.decode(buffer, at: $0) }
                }
                guard let newest = slots.max(by: { $0.generation < $1.generation }) else {
                    report.problems.append(
                        .init(
                            severity: .damage, file: path, offset: 0,
                            message: "both slots are damaged; the output gets its records again"))
                    continue
                }
                report.cursors.append(
                    .init(output: newest.output, sequence: newest.sequence, validSlots: slots.count))
            } catch {
                report.problems.append(.init(severity: .damage, file: path, offset: 0, message: error.description))
            }
        }
    }
}

/// The result of ``JournalInspection/check()``.
public struct JournalReport: Sendable {
    /// Whether the journal has any file.
    package var hasFiles: Bool {
        !(segments.isEmpty && rings.isEmpty && cursors.isEmpty && writers.isEmpty && setAside.isEmpty
            && problems.isEmpty)
    }

    /// A deviation from what was written.
    public struct Problem: Sendable, Equatable, CustomStringConvertible {
        public enum Severity: String, Sendable {
            /// Above the watermark: explained by a kill or a power failure.
            case loss
            /// Damage of data that was on stable storage.
            case damage
        }

        public let severity: Severity
        /// Relative to the directory.
        public let file: String
        /// In bytes from the start of the file.
        public let offset: Int
        public let message: String

        public var description: String { "\(file):\(offset): \(severity.rawValue): \(message)" }
    }

    public struct Segment: Sendable {
        public let name: String
        public let byteCount: Int
        public let stream: JournalStream
        public let outputs: [String]
        public let firstSequence: UInt64
        /// One less than the first if there is no frame.
        public let lastSequence: UInt64
        /// All frames; `records` counts those that are records.
        public let frames: UInt64
        public let records: UInt64
        /// Whether the writer or a recovery sealed it; the active segment is not.
        public let isSealed: Bool
    }

    /// A ring: recently appended frames, some of which may not be in a segment yet.
    public struct Ring: Sendable {
        /// The active writer's ring is called `ring`.
        public let name: String
        public let byteCount: Int
        public let stream: JournalStream
        /// Frames that no segment has; `records` counts those that are records.
        public let frames: UInt64
        public let records: UInt64
    }

    public struct Cursor: Sendable {
        public let output: String
        public let sequence: UInt64
        /// How many of the two slots are valid; a new cursor has one.
        public let validSlots: Int
    }

    public internal(set) var segments: [Segment] = []
    /// Non-empty rings; none if the journal was closed.
    public internal(set) var rings: [Ring] = []
    public internal(set) var cursors: [Cursor] = []
    public internal(set) var problems: [Problem] = []
    /// Names of files that were set aside when the journal was opened.
    public internal(set) var setAside: [String] = []
    /// Subdirectories with the journals of further writers; check them separately.
    public internal(set) var writers: [String] = []

    /// Whether nothing is damaged; losses explained by a kill or a power failure are allowed.
    public var isIntact: Bool { !problems.contains { $0.severity == .damage } }
}

/// A frame visited by ``JournalInspection/dump(_:)``, which includes the journal's internal frames.
public struct DumpedFrame: Sendable {
    /// The name of its segment or ring file.
    public let segment: String
    /// The offset of the frame's header, in bytes from the start of the file.
    public let offset: Int
    public let stream: JournalStream
    public let sequence: UInt64
    public let flags: FrameFlags
    /// The ids of its outputs.
    public let outputs: [String]
    public let contextVersion: UInt32
    /// Set if the frame was recovered from a dead writer's journal.
    public let origin: FrameOrigin?
    public let payload: [UInt8]

    init(_ frame: Frame, _ payload: [UInt8], in segment: String, _ stream: JournalStream, _ table: OutputTable) {
        let (origin, content) = payload.withUnsafeBytes { buffer in
            let parts = FrameOrigin.split(buffer, frame.flags)
            return (parts.origin, Array(parts.payload))
        }
        self.segment = segment
        offset = frame.offset
        self.stream = stream
        sequence = frame.sequence
        flags = frame.flags
        outputs = table.ids.enumerated().filter { frame.mask & (1 << UInt64($0.offset)) != 0 }.map(\.element)
        contextVersion = frame.contextVersion
        self.origin = origin
        self.payload = content
    }
}
