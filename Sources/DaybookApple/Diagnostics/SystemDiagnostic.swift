import Daybook
import DaybookBase

/// A MetricKit diagnostic: an element of `MXDiagnosticPayload`'s JSON.
///
/// Source: Apple, *MXDiagnosticPayload* and *MXCallStackTree*, `jsonRepresentation()`. Metadata keys are the classes'
/// property names; missing values and wrong types are left out, unknown keys ignored.
package struct SystemDiagnostic: Sendable {
    /// The key in the payload.
    package enum Kind: String, Sendable, CaseIterable {
        case crash = "crashDiagnostics"
        case hang = "hangDiagnostics"
        case cpu = "cpuExceptionDiagnostics"
        case diskWrite = "diskWriteExceptionDiagnostics"
        case launch = "appLaunchDiagnostics"
    }

    package let kind: Kind
    /// `diagnosticMetaData`.
    package fileprivate(set) var metadata: [String: Value] = [:]
    /// Its `exceptionReason`: an Objective-C exception.
    package fileprivate(set) var reason: [String: Value] = [:]
    package fileprivate(set) var stacks: [SystemCallStack] = []

    fileprivate init(_ kind: Kind) { self.kind = kind }

    /// A payload's diagnostics, in order; of a damaged payload, those before the damage.
    package static func all(in json: [UInt8]) -> [SystemDiagnostic] {
        var reader = PayloadReader(json)
        try? reader.read()
        return reader.diagnostics
    }

    /// Available from iOS 17.
    package var processID: Int64? { if case .int(let id)? = metadata["pid"] { id } else { nil } }

    package var build: String? { metadata["appBuildVersion"]?.text }

    // MARK: As a record

    /// The record's tag: `diagnostic.crash`, `diagnostic.hang` …
    package var tag: String {
        switch kind {
        case .crash: "diagnostic.crash"
        case .hang: "diagnostic.hang"
        case .cpu: "diagnostic.cpu"
        case .diskWrite: "diagnostic.disk_write"
        case .launch: "diagnostic.launch"
        }
    }

    /// An error for a crash, a warning otherwise.
    /// - Parameters:
    ///   - begin: Start of the payload's period, in nanoseconds since 1970.
    ///   - end: Its end, which becomes the record's time.
    ///   - launch: The launch it belongs to, if known.
    package func record(begin: Int64, end: Int64, launch: LaunchHistory.Place?) -> Record {
        var record = Record(
            time: end, kind: kind == .crash ? .error : .message, level: kind == .crash ? .fatal : .warning, tag: tag,
            message: message)
        var attributes: Attributes = [:]
        func add(_ key: String, _ value: Value?) {
            guard let value else { return }
            attributes[key] = value.text.map { .string($0.cut(toUTF8Bytes: Self.textLimit)) } ?? value
        }
        if kind == .crash {
            add(WireName.exceptionType, .string(exceptionType))
            add(WireName.exceptionMessage, .string(exceptionMessage))
        }
        let trace = SystemCallStack.text(of: stacks)
        if !trace.isEmpty { attributes[kind == .crash ? "exception.stacktrace" : "code.stacktrace"] = .string(trace) }
        for (key, name) in Self.names { add(name, metadata[key]) }
        add("daybook.diagnostic.begin", .string(Timestamp(nanoseconds: begin).rfc3339(fractionDigits: 0)))
        add("daybook.diagnostic.end", .string(Timestamp(nanoseconds: end).rfc3339(fractionDigits: 0)))
        add("daybook.launch.session", launch.map { .string($0.session) })
        add("daybook.launch.time", launch.map { .string(Timestamp(nanoseconds: $0.began).rfc3339(fractionDigits: 3)) })
        record.attributes = attributes
        return record
    }

    /// In UTF-8 bytes; only Apple's memory descriptions are longer.
    private static let textLimit = 1024

    /// Metadata keys with their attributes, which have OpenTelemetry's names where these exist.
    private static let names = [
        ("appVersion", "service.version"), ("appBuildVersion", "app.build_id"), ("bundleIdentifier", "app.bundle_id"),
        ("osVersion", "os.version"), ("deviceType", "device.model.identifier"), ("platformArchitecture", "host.arch"),
        ("pid", "process.pid"), ("exceptionType", "daybook.diagnostic.exception_type"),
        ("exceptionCode", "daybook.diagnostic.exception_code"), ("signal", "daybook.diagnostic.signal"),
        ("terminationReason", "daybook.diagnostic.termination_reason"),
        ("virtualMemoryRegionInfo", "daybook.diagnostic.memory_region"),
        ("hangDuration", "daybook.diagnostic.hang_duration"), ("totalCPUTime", "daybook.diagnostic.cpu_time"),
        ("totalSampledTime", "daybook.diagnostic.sampled_time"), ("writesCaused", "daybook.diagnostic.writes_caused"),
        ("launchDuration", "daybook.diagnostic.launch_duration"),
        ("isTestFlightApp", "daybook.diagnostic.is_test_flight"),
        ("lowPowerModeEnabled", "daybook.diagnostic.low_power_mode"),
    ]

    private var message: String {
        switch kind {
        case .crash: exceptionMessage
        case .hang: "The app hung" + after("hangDuration", " for ")
        case .cpu: "The app used a lot of CPU time" + after("totalCPUTime", ": ")
        case .diskWrite: "The app wrote a lot to the disk" + after("writesCaused", ": ")
        case .launch: "The app launched slowly" + after("launchDuration", ": ")
        }
    }

    private func after(_ key: String, _ words: String) -> String {
        metadata[key]?.text.map { words + $0.cut(toUTF8Bytes: 128) } ?? ""
    }

    /// The name of the Objective-C or Mach exception.
    private var exceptionType: String {
        if let name = (reason["exceptionName"] ?? reason["className"])?.text { return name }
        return Self.name(of: metadata["exceptionType"], in: Self.machExceptions, otherwise: "exception ") ?? "crash"
    }

    private var exceptionMessage: String {
        if let text = reason["composedMessage"]?.text { return text.cut(toUTF8Bytes: Self.textLimit) }
        let signal = Self.name(of: metadata["signal"], in: Self.signals, otherwise: "signal ")
        let why = metadata["terminationReason"]?.text?.cut(toUTF8Bytes: Self.textLimit)
        return [exceptionType, signal.map { "(\($0))" }, why].compactMap(\.self).joined(separator: " ")
    }

    private static func name(of value: Value?, in names: [Int64: String], otherwise word: String) -> String? {
        switch value {
        case .int(let number)?: names[number] ?? word + String(number)
        case .string(let text)?: text.cut(toUTF8Bytes: 128)
        default: nil
        }
    }

    /// Source: `mach/exception_types.h`.
    private static let machExceptions: [Int64: String] = [
        1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 4: "EXC_EMULATION", 5: "EXC_SOFTWARE",
        6: "EXC_BREAKPOINT", 10: "EXC_CRASH", 11: "EXC_RESOURCE", 12: "EXC_GUARD",
    ]

    /// Source: Apple's `sys/signal.h`.
    private static let signals: [Int64: String] = [
        3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS", 11: "SIGSEGV",
        12: "SIGSYS", 13: "SIGPIPE", 15: "SIGTERM",
    ]
}

/// A thread's frames, or the tree of samples of a hang and the like, in report order.
package struct SystemCallStack: Sendable {
    package struct Frame: Sendable, Hashable {
        /// The number of frames above it.
        package var depth: Int
        package var binary = "?"
        /// With `offset`, identifies the symbol.
        package var uuid = ""
        package var offset: Int64 = 0
        package var samples: Int64 = 0
    }

    /// Whether it is the thread at fault.
    package var isAttributed = false
    package var frames: [Frame] = []

    /// In bytes of text.
    private static let limit = 16 << 10

    /// Lines such as `0 MyApp + 4660 (22222222-…)`, beginning with the depth; with samples, ` ×12`. Only the thread at
    /// fault, if there is one.
    static func text(of stacks: [SystemCallStack]) -> String {
        let attributed = stacks.filter(\.isAttributed)
        var text = ""
        for stack in attributed.isEmpty ? stacks : attributed where !stack.frames.isEmpty {
            if !text.isEmpty { text += "\n" }
            for frame in stack.frames {
                var line = "\(frame.depth) \(frame.binary) + \(frame.offset)"
                if !frame.uuid.isEmpty { line += " (\(frame.uuid))" }
                if frame.samples > 1 { line += " ×\(frame.samples)" }
                guard text.utf8.count + line.utf8.count < limit else { return text + "…\n" }
                text += line + "\n"
            }
        }
        return text
    }
}

/// Iterative: call stacks nest too deep for recursion.
private struct PayloadReader {
    private struct Level {
        let isObject: Bool
        /// Its key; for an array's element, the array's key.
        let name: String
        /// For a frame's object: its index among the frames, and its depth.
        var frame: Int?
        var depth = -1
        var isFirst = true
    }

    /// Larger reports are meaningless, and damaged ones unbounded.
    private static let maximumFrames = 4096
    private static let maximumLevels = 4096

    private var scanner: JSONScanner
    private var levels: [Level] = []
    private(set) var diagnostics: [SystemDiagnostic] = []

    init(_ json: [UInt8]) { scanner = JSONScanner(json) }

    mutating func read() throws(JSONFault) {
        try take(try scanner.value(), name: "")
        while !levels.isEmpty {
            var name = levels[levels.count - 1].name
            let isObject = levels[levels.count - 1].isObject
            if isObject {
                guard let member = try scanner.member(&levels[levels.count - 1].isFirst) else {
                    levels.removeLast()
                    continue
                }
                name = member.text(in: scanner.bytes)
            } else {
                guard try scanner.element(&levels[levels.count - 1].isFirst) else {
                    levels.removeLast()
                    continue
                }
            }
            try take(try scanner.value(), name: name)
        }
    }

    private mutating func take(_ token: JSONScanner.Token, name: String) throws(JSONFault) {
        switch token {
        case .beginArray: try enter(isObject: false, name)
        case .beginObject: try enter(isObject: true, name)
        case .null: break
        case .boolean(let value): note(.bool(value), name)
        case .string(let string): note(.string(string.text(in: scanner.bytes)), name)
        case .number(let number):
            let text = number.text(in: scanner.bytes)
            note(number.integer(in: scanner.bytes).map { .int($0) } ?? Double(text).map { .double($0) } ?? .null, name)
        }
    }

    private mutating func enter(isObject: Bool, _ name: String) throws(JSONFault) {
        guard levels.count < Self.maximumLevels else { throw JSONFault(.tooDeep, scanner.offset) }
        var level = Level(isObject: isObject, name: name)
        level.depth = levels.last?.depth ?? -1
        if isObject, levels.count == 2, let kind = SystemDiagnostic.Kind(rawValue: name) {
            diagnostics.append(SystemDiagnostic(kind))
        }
        if isObject, isInDiagnostic {
            if name == "callStacks" {
                diagnostics[diagnostics.count - 1].stacks.append(SystemCallStack())
                level.depth = -1
            }
            if name == "callStackRootFrames" || name == "subFrames" { openFrame(&level) }
        }
        levels.append(level)
    }

    /// Whether the current container is within a diagnostic of a known kind.
    private var isInDiagnostic: Bool {
        levels.count > 2 && SystemDiagnostic.Kind(rawValue: levels[2].name) != nil
    }

    private mutating func openFrame(_ level: inout Level) {
        let last = diagnostics.count - 1
        level.depth += 1
        guard let stack = diagnostics[last].stacks.indices.last,
            diagnostics[last].stacks[stack].frames.count < Self.maximumFrames
        else { return }
        diagnostics[last].stacks[stack].frames.append(SystemCallStack.Frame(depth: level.depth))
        level.frame = diagnostics[last].stacks[stack].frames.count - 1
    }

    private mutating func note(_ value: Value, _ key: String) {
        guard isInDiagnostic, let level = levels.last, let last = diagnostics.indices.last else { return }
        if let frame = level.frame, let stack = diagnostics[last].stacks.indices.last {
            diagnostics[last].stacks[stack].frames[frame].note(value, key)
        } else if level.name == "callStacks", case .bool(let value) = value, key == "threadAttributed",
            let stack = diagnostics[last].stacks.indices.last
        {
            diagnostics[last].stacks[stack].isAttributed = value
        } else if level.name == "diagnosticMetaData" || levels.count == 3 {
            diagnostics[last].metadata[key] = value
        } else if level.name == "exceptionReason" {
            diagnostics[last].reason[key] = value
        }
    }
}

extension SystemCallStack.Frame {
    fileprivate mutating func note(_ value: Value, _ key: String) {
        switch (key, value) {
        case ("binaryName", .string(let name)): binary = name.cut(toUTF8Bytes: 128)
        case ("binaryUUID", .string(let id)): uuid = id.cut(toUTF8Bytes: 64)
        case ("offsetIntoBinaryTextSegment", .int(let number)): offset = number
        case ("sampleCount", .int(let number)): samples = number
        default: break
        }
    }
}
