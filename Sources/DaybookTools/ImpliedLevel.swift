import DaybookBase

/// The level implied by signs of failure if the sender gives none: one table for log records, spans, NDJSON lines and
/// teams' own requests.
package struct ImpliedLevel: BitwiseCopyable, Sendable {
    /// What an attribute's name implies.
    package enum Sign {
        /// An exception, whatever the value; some senders give only its stack.
        case exception
        /// `error` with the value true: OpenTracing, Zipkin, Splunk RUM.
        case error
        /// `otel.status_code` in formats without a status: `ERROR`.
        case status
        /// `component` with the value `crash` in Splunk RUM.
        case component

        package init?(attribute name: String) {
            switch name {
            case WireName.exceptionType, "exception.message", "exception.stacktrace": self = .exception
            case "error": self = .error
            case "otel.status_code": self = .status
            case "component": self = .component
            default: return nil
            }
        }
    }

    private var isCrash = false
    private var isFailure = false

    package init() {}

    /// The severity number: 21 (fatal) for a crash, 17 (error) for another failure, otherwise `nil`.
    package var number: Int? {
        if isCrash { return Int(Level.fatal.rawValue) }
        return isFailure ? Int(Level.error.rawValue) : nil
    }

    /// The record's kind or status is an error.
    package mutating func addFailure() { isFailure = true }

    /// Adds an attribute.
    /// - Parameter value: a text as is, and `true` as `true`.
    package mutating func add(_ sign: Sign, _ value: String) {
        switch (sign, value.lowercased()) {
        case (.exception, _), (.error, "true"), (.status, "error"): isFailure = true
        case (.component, "crash"): isCrash = true
        default: break
        }
    }

    package mutating func add(_ attributes: Attributes) {
        for element in attributes.elements {
            guard let sign = Sign(attribute: element.key) else { continue }
            switch element.value {
            case .string(let text): add(sign, text)
            case .bool(let bool): add(sign, bool ? "true" : "")
            default: add(sign, "")
            }
        }
    }

    /// Adds the name of an event or span, in any case and spelling: `app.crash`, `AppCrash`, `crash_report` and
    /// `uncaughtException` count, but not `no_crash`, `car_crash` or the path `/crash`.
    package mutating func add(event name: String) {
        // Fast path: most names lack these words.
        guard name.utf8.count <= 200, !name.utf8.contains(UInt8(ascii: "/")),
            Self.has("crash", name) || Self.has("exception", name)
        else {
            return
        }
        let parts = name.split { ".:".contains($0) }.map { NameWords.of($0).filter { $0.contains(where: \.isLetter) } }
        guard var words = parts.last(where: { !$0.isEmpty }), Self.negations.isDisjoint(with: words) else { return }
        while words.count > 1, let last = words.last, Self.endings.contains(last) { words.removeLast() }
        guard let last = words.popLast() else { return }
        for ending in ["crash", "crashed", "crashreport", "crashreported", "exception"] where last.hasSuffix(ending) {
            // Words joined without a separator: `appcrash`.
            let subject = last.count > ending.count ? String(last.dropLast(ending.count)) : words.last
            if let subject, Self.negations.contains(subject) { return }
            if ending == "exception" {
                isFailure = true
            } else if subject.map(Self.subjects.contains) ?? true {
                isCrash = true
            }
        }
    }

    /// Whether a name contains a lowercase word, ignoring case.
    private static func has(_ word: StaticString, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { units in
            word.withUTF8Buffer { word in
                guard units.count >= word.count else { return false }
                return (0...units.count - word.count).contains { start in
                    word.indices.allSatisfy { units[start + $0] | 0x20 == word[$0] }
                }
            }
        }
    }

    private static let negations = words("no not non without never zero")
    private static let endings = words("report reported detected occurred event")
    /// What crashes in software, and how; cars and markets crash, too.
    private static let subjects = words(
        "app application program process thread device system os kernel service server client native ndk jni jvm java "
            + "kotlin swift objc js javascript dart flutter react unity cpp ios android macos windows linux web browser "
            + "webview renderer gpu sdk plugin extension widget watch tv page tab session fatal hard mobile main "
            + "background foreground launch startup runtime uncaught unhandled unexpected last previous oom memory anr "
            + "has did was")

    private static func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }
}
