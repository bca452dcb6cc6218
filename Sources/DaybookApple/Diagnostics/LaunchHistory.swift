import Daybook
import DaybookBase

/// Recent launches with their sessions, to match later reports. Pure: its owner reads and writes the bytes.
package struct LaunchHistory: Sendable, Hashable {
    package struct Launch: Sendable, Hashable {
        package var processID: Int64
        package var build: String?
        /// At least one, in order.
        package var sessions: [Place]

        package init(processID: Int64, build: String?, session: Place) {
            self.processID = processID
            self.build = build
            sessions = [session]
        }

        var began: Int64 { sessions.first?.began ?? 0 }
    }

    package struct Place: Sendable, Hashable {
        package var session: String
        /// Nanoseconds since 1970.
        package var began: Int64

        package init(session: String, began: Int64) {
            self.session = session
            self.began = began
        }
    }

    /// Enough: reports come with the next launch or within a day.
    private static let maximumLaunches = 32
    private static let maximumSessions = 32

    /// In order; the last is the current one.
    package private(set) var launches: [Launch] = []

    package init() {}

    package mutating func begin(_ launch: Launch) {
        launches.append(launch)
        launches.removeFirst(max(0, launches.count - Self.maximumLaunches))
    }

    /// Notes the current launch's session; returns whether it is new.
    package mutating func note(_ place: Place) -> Bool {
        guard let last = launches.indices.last, launches[last].sessions.last?.session != place.session else {
            return false
        }
        launches[last].sessions.append(place)
        launches[last].sessions.removeFirst(max(0, launches[last].sessions.count - Self.maximumSessions))
        return true
    }

    // MARK: Finding

    /// The session of a diagnostic; `nil` if ambiguous or unknown.
    ///
    /// The process id decides. Without one, a crash belongs to the one ended launch that overlaps the report's period,
    /// or, if there is none, to the previous launch; any other diagnostic to the one launch that overlaps it.
    /// - Parameters:
    ///   - begin: Start of the report's period, in nanoseconds since 1970.
    ///   - end: Not before `begin`.
    package func place(of diagnostic: SystemDiagnostic, begin: Int64, end: Int64) -> Place? {
        let fitting = launches.indices.filter { index in
            let build = launches[index].build
            return launches[index].began <= end
                && (build == nil || diagnostic.build == nil || build == diagnostic.build)
        }
        let isCrash = diagnostic.kind == .crash
        if let id = diagnostic.processID {
            return fitting.last { launches[$0].processID == id }.flatMap { place(in: $0, isCrash: isCrash, end: end) }
        }
        let possible = isCrash ? fitting.filter { $0 != launches.count - 1 } : fitting
        let running = possible.filter { $0 + 1 == launches.count || launches[$0 + 1].began >= begin }
        let found = running.isEmpty && isCrash ? possible.suffix(1) : running[...]
        guard found.count == 1, let index = found.first else { return nil }
        return place(in: index, isCrash: isCrash, end: end)
    }

    /// A crash ends its launch's last session.
    private func place(in index: Int, isCrash: Bool, end: Int64) -> Place? {
        let sessions = launches[index].sessions
        return isCrash ? sessions.last : sessions.last { $0.began <= end }
    }

    // MARK: Bytes

    package var bytes: [UInt8] {
        let value = Value.array(
            launches.map { launch in
                [
                    "pid": .int(launch.processID), "build": Value(launch.build),
                    "sessions": .array(launch.sessions.map { [.string($0.session), .int($0.began)] }),
                ]
            })
        return Array(JSONWriter.text(value).utf8)
    }

    /// From JSON; unreadable launches are left out.
    package init(_ bytes: [UInt8]) {
        guard case .array(let values)? = try? JSONReader.value(of: bytes) else { return }
        launches = values.suffix(Self.maximumLaunches).compactMap { value in
            guard case .object(let fields) = value, case .int(let id)? = fields["pid"],
                case .array(let places)? = fields["sessions"]
            else { return nil }
            let sessions = places.compactMap { place -> Place? in
                guard case .array(let pair) = place, pair.count == 2, let session = pair[0].text,
                    case .int(let began) = pair[1]
                else { return nil }
                return Place(session: session, began: began)
            }
            guard let first = sessions.first else { return nil }
            var launch = Launch(processID: id, build: fields["build"]?.text, session: first)
            launch.sessions = sessions
            return launch
        }
    }
}
