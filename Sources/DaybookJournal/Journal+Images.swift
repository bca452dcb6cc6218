import Synchronization

extension Journal {
    /// A segment's bytes. `owner` keeps them in memory where the segment itself does not.
    typealias Image = (base: UnsafeRawPointer, limit: Int, owner: SegmentImage?)

    /// A mapping as it is; a file out of the latest images, or read now. `nil` if the file cannot be opened.
    func image(of segment: Segment) -> Image? {
        if let region = segment.region { return image(of: region, segment.header) }
        if let known = shelf.withLock({ $0.images.find(segment) }) { return image(of: known, segment.header) }
        var failures: [JournalFileError] = []
        let loaded = load(segment, failures: &failures)
        let noted = failures
        shelf.withLock { shelf in
            for failure in noted { shelf.counters.note(failure) }
            if let loaded { shelf.images.put(loaded, for: segment) }
        }
        return loaded.flatMap { image(of: $0, segment.header) }
    }

    /// The same for who holds the cold lock already.
    func image(of segment: Segment, in shelf: inout Shelf) -> Image? {
        if let region = segment.region { return image(of: region, segment.header) }
        if let known = shelf.images.find(segment) { return image(of: known, segment.header) }
        var failures: [JournalFileError] = []
        let loaded = load(segment, failures: &failures)
        for failure in failures { shelf.counters.note(failure) }
        guard let loaded else { return nil }
        shelf.images.put(loaded, for: segment)
        return image(of: loaded, segment.header)
    }

    private func image(of region: Region, _ header: SegmentHeader) -> Image? {
        (UnsafeRawPointer(region.base), header.framesLimit(fileBytes: region.byteCount), nil)
    }

    private func image(of image: SegmentImage, _ header: SegmentHeader) -> Image? {
        guard let base = image.bytes.baseAddress else { return nil }
        return (base, header.framesLimit(fileBytes: image.bytes.count), image)
    }

    private func load(_ segment: Segment, failures: inout [JournalFileError]) -> SegmentImage? {
        guard let files = ownFiles, case .file(let name, let byteCount) = segment.storage else { return nil }
        do throws(JournalFileError) {
            return try SegmentImage(
                path: files.path(name), limit: byteCount, files: system.files, failures: &failures)
        } catch {
            failures.append(error)
            return nil
        }
    }
}
