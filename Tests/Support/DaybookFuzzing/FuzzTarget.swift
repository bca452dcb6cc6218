import DaybookTrials

/// Code that takes anyone's bytes. Whatever they are, it answers or refuses soon, and never ends the process.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// A target that is set up, such as a running server or open stores.
    package struct Subject: Sendable {
        /// Takes an input; returns the fault in one line, or `nil`.
        package var check: @Sendable ([UInt8]) async throws -> String?
        /// Tears down what was set up.
        package var close: @Sendable () async -> Void

        package init(
            check: @escaping @Sendable ([UInt8]) async throws -> String?,
            close: @escaping @Sendable () async -> Void = {}
        ) {
            self.check = check
            self.close = close
        }
    }

    /// Words joined by hyphens.
    package let name: String
    /// Inputs as honest senders make them.
    let corpus: [[UInt8]]
    /// Pieces of the format, inserted anywhere.
    let fragments: [[UInt8]]
    /// Changes an input; `nil` for ``Mutation/mutate(_:fragments:others:_:)``.
    let mutate: (@Sendable (inout [UInt8], inout SeededGenerator) -> Void)?
    /// How many inputs `make test` tries: about a second of them in a debug build.
    package let quickCount: Int
    package let open: @Sendable () async throws -> Subject

    init(
        _ name: String, corpus: [[UInt8]], fragments: [String] = [], quickCount: Int,
        mutate: (@Sendable (inout [UInt8], inout SeededGenerator) -> Void)? = nil,
        open: @escaping @Sendable () async throws -> Subject
    ) {
        self.name = name
        self.corpus = corpus
        self.fragments = fragments.map { Array($0.utf8) }
        self.quickCount = quickCount
        self.mutate = mutate
        self.open = open
    }

    init(
        _ name: String, corpus: [[UInt8]], fragments: [String] = [], quickCount: Int,
        check: @escaping @Sendable ([UInt8]) throws -> String?
    ) {
        self.init(name, corpus: corpus, fragments: fragments, quickCount: quickCount) { Subject(check: check) }
    }

    package var description: String { name }

    /// The input with a number, the same for the same seed.
    package func input(_ number: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(number))
        // Some consist only of fragments, some of noise.
        switch Int.random(in: 0..<20, using: &random) {
        case 0 where mutate == nil && !fragments.isEmpty:
            return (0..<Int.random(in: 1...60, using: &random)).flatMap { _ in
                fragments.randomElement(using: &random) ?? []
            }
        case 1 where mutate == nil:
            let count = Int.random(in: 0...60, using: &random)
            return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        default:
            var input = corpus.randomElement(using: &random) ?? []
            if let mutate {
                mutate(&input, &random)
            } else {
                Mutation.mutate(&input, fragments: fragments, others: corpus, &random)
            }
            return input
        }
    }
}

/// How inputs are changed and reduced. The only place that damages bytes at random.
package enum Mutation {
    /// Changes an input in one to eight places.
    package static func mutate(
        _ bytes: inout [UInt8], fragments: [[UInt8]], others: [[UInt8]], _ random: inout SeededGenerator
    ) {
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            if bytes.isEmpty { bytes = [0] }
            let place = Int.random(in: bytes.indices, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...32, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[place] = [0, 0x0A, 0x20, 0x22, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            // A number with all bits set, like a length or a size.
            case 3: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x7F], at: place)
            case 4: bytes.removeSubrange(place..<end)
            case 5: bytes.removeSubrange(place...)
            case 6: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 7: bytes.replaceSubrange(place..<end, with: [UInt8](repeating: 0, count: end - place))
            case 8:
                let other = others.randomElement(using: &random) ?? []
                guard !other.isEmpty else { continue }
                let from = Int.random(in: other.indices, using: &random)
                bytes.replaceSubrange(place..<end, with: other[from..<min(other.count, from + 64)])
            default: bytes.insert(contentsOf: fragments.randomElement(using: &random) ?? [0], at: place)
            }
        }
    }

    /// A smaller input that still fails, found by leaving out parts.
    /// - Parameter tries: The most calls of `fails`.
    package static func smallest(
        _ input: [UInt8], tries: Int = 300, fails: ([UInt8]) async throws -> Bool
    ) async rethrows -> [UInt8] {
        var smallest = input
        var rest = tries
        var size = max(input.count / 2, 1)
        while size > 0, rest > 0 {
            var place = 0
            while place < smallest.count, rest > 0 {
                rest -= 1
                var candidate = smallest
                candidate.removeSubrange(place..<min(place + size, candidate.count))
                if try await fails(candidate) { smallest = candidate } else { place += size }
            }
            size /= 2
        }
        return smallest
    }
}

/// Files as one input: for each a name, a zero byte, a length of eight digits, and the bytes.
package enum FileBundle {
    package static func encode(_ files: [String: [UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, content) in files.sorted(by: { $0.key < $1.key }) {
            let digits = String(content.count)
            bytes += name.utf8
            bytes.append(0)
            bytes += [UInt8](repeating: UInt8(ascii: "0"), count: max(8 - digits.count, 0)) + digits.utf8
            bytes += content
        }
        return bytes
    }

    /// The files that can be read; names that lead elsewhere are left out.
    package static func decode(_ bytes: [UInt8]) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var rest = bytes[...]
        while let zero = rest.firstIndex(of: 0), rest.endIndex - zero > 8 {
            let name = String(decoding: rest[rest.startIndex..<zero], as: UTF8.self)
            let digits = String(decoding: rest[zero + 1..<zero + 9], as: UTF8.self)
            guard let count = Int(digits), count >= 0 else { break }
            rest = rest[(zero + 9)...]
            if !name.isEmpty, !name.hasPrefix("/"), !name.contains("..") { files[name] = Array(rest.prefix(count)) }
            rest = rest.dropFirst(count)
        }
        return files
    }
}
