import DaybookBase

/// A defined event; `daybook-definitions` generates one enum per category from Markdown.
public protocol LogEvent: Sendable {
    /// The event's name and level; one static object per event.
    var descriptor: EventDescriptor { get }

    /// Writes the event's columns in the order of the definition.
    ///
    /// Called at most once per record, on the caller's thread, under the journal's lock: it must not lock or wait. What
    /// it logs is dropped.
    func encode(into fields: inout FieldEncoder)
}

/// The attributes common to all records, generated from `common.md`.
public protocol LogContext: Sendable {
    /// The columns that are masked on screens and in files. Default: none.
    static var privateColumns: [String] { get }

    /// Writes the common columns.
    func encode(into fields: inout FieldEncoder)
}

extension LogContext {
    public static var privateColumns: [String] { [] }
}

/// A context without columns.
public struct EmptyContext: LogContext {
    /// Creates a context without columns.
    ///
    /// ```swift
    /// let pipeline = try Pipeline(directory: folder, context: EmptyContext()) { Route("**", to: ConsoleOutput()) }
    /// ```
    public init() {}

    public func encode(into fields: inout FieldEncoder) {}
}

/// An event's tag and level. Safe to share.
///
/// Its contents are never freed, so that log calls count no references to them; on many threads, counting would contend
/// for one cache line. Create one for each event, not one for each record.
public struct EventDescriptor: Sendable {
    private final class Fixed: Sendable {
        let tag: String
        let level: Level
        /// The routing for an event, and the generation of the table it came from. One word, so that the two always
        /// match; see ``Routing``.
        let cachedRouting = Atomic<UInt64>(0)
        let constants: EventConstants

        init(tag: String, level: Level, privateColumns: [String]) {
            self.tag = tag
            self.level = level
            constants = EventConstants(tag: tag, level: level, privateColumns: privateColumns)
        }
    }

    private let fixed: Unmanaged<Fixed>

    /// Creates a descriptor; generated code does so once for each event.
    ///
    /// ```swift
    /// let descriptor = EventDescriptor("recipe_search.search", private: ["keyword"])
    /// ```
    /// - Parameters:
    ///   - tag: `category.event`.
    ///   - level: Default: `info`.
    ///   - privateColumns: The columns that are masked on screens and in files. Each record carries them, whatever tag
    ///     filters give it and whichever launch delivers it. They are encoded once, here.
    public init(_ tag: StaticString, level: Level = .info, private privateColumns: [String] = []) {
        fixed = .passRetained(Fixed(tag: tag.description, level: level, privateColumns: privateColumns))
    }

    /// The tag, `category.event`.
    public var tag: String { fixed._withUnsafeGuaranteedRef { $0.tag } }

    /// The level of its records.
    public var level: Level { fixed._withUnsafeGuaranteedRef { $0.level } }

    var constants: EventConstants { fixed._withUnsafeGuaranteedRef { $0.constants } }

    @inline(__always)
    func routing(in table: RoutingTable) -> Routing {
        fixed._withUnsafeGuaranteedRef { fixed in
            let word = fixed.cachedRouting.load(ordering: .relaxed)
            if let cached = Routing(word: word, generation: table.generation) { return cached }
            let routing = table.routing(tag: fixed.tag, level: fixed.level)
            fixed.cachedRouting.store(routing.word(generation: table.generation), ordering: .relaxed)
            return routing
        }
    }
}
