extension TextFormat {
    /// The mark of each level. An empty one leaves its place out, so that only some levels can have one.
    public struct Icons: Sendable, Hashable {
        public var trace: String
        public var debug: String
        public var info: String
        public var warning: String
        public var error: String
        public var fatal: String

        /// Marks of one's own; those left out are empty.
        public init(
            trace: String = "", debug: String = "", info: String = "", warning: String = "", error: String = "",
            fatal: String = ""
        ) {
            self.trace = trace
            self.debug = debug
            self.info = info
            self.warning = warning
            self.error = error
            self.fatal = fatal
        }

        /// `·`, `○`, `●`, `▲`, `✖`, `✖✖`.
        public static let symbols = Icons(trace: "·", debug: "○", info: "●", warning: "▲", error: "✖", fatal: "✖✖")
        /// 🔍, 🐞, 💬, ⚠️, ❌, 💥: what stands out in a console without colours.
        public static let emoji = Icons(trace: "🔍", debug: "🐞", info: "💬", warning: "⚠️", error: "❌", fatal: "💥")
        /// `TRACE` … `FATAL`: what can be searched for.
        public static let names = Icons(
            trace: "TRACE", debug: "DEBUG", info: "INFO", warning: "WARNING", error: "ERROR", fatal: "FATAL")
        /// No marks.
        public static let none = Icons()

        /// The mark of a level.
        public subscript(level: Level) -> String {
            get { self[keyPath: Self.place(of: level)] }
            set { self[keyPath: Self.place(of: level)] = newValue }
        }

        private static func place(of level: Level) -> WritableKeyPath<Icons, String> {
            switch level {
            case .trace: \.trace
            case .debug: \.debug
            case .info: \.info
            case .warning: \.warning
            case .error: \.error
            case .fatal: \.fatal
            }
        }
    }
}

extension Level {
    /// The number of the level's colour in ANSI's "select graphic rendition" (ECMA-48).
    var ansiColour: Int {
        switch self {
        case .trace, .debug: 90
        case .info: 36
        case .warning: 33
        case .error: 31
        case .fatal: 35
        }
    }
}
