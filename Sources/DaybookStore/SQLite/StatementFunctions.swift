import CSQLite
import DaybookBase

/// The SQL functions of people's statements that SQLite lacks.
///
/// - `percentile_cont(value, fraction)`, `median(value)`: as in SQLite's own extension and in PostgreSQL. Values are
///   numbers; NULL is ignored; between two values it interpolates.
/// - `stddev(value)`: the sample standard deviation; NULL for fewer than two values.
/// - `regexp(pattern, text)`, which is also `text REGEXP pattern`: whether a ``PatternProgram`` is found.
enum StatementFunctions {
    static func add(to connection: SQLiteConnection) throws(StoreError) {
        let room = AggregateRoom()
        try add(.median, 1, room, to: connection)
        try add(.percentile, 2, room, to: connection)
        try add(.deviation, 1, room, to: connection)
        try SQLiteFunctions.add("regexp", 2, PatternCache(connection), to: connection) { context, _, values in
            guard let values, let pattern = SQLiteFunctions.text(values[0]), let text = SQLiteFunctions.text(values[1])
            else { return }
            // Sound: SQLite keeps the cache as long as the function.
            let cache = Unmanaged<PatternCache>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
            do throws(PatternProgram.Mistake) {
                switch try cache.isFound(pattern, in: text) {
                case let isFound?: sqlite3_result_int(context, isFound ? 1 : 0)
                case nil: sqlite3_result_error_code(context, SQLITE_INTERRUPT)
                }
            } catch {
                sqlite3_result_error(context, "REGEXP: \(error.reason), at character \(error.place) of the pattern", -1)
            }
        }
    }

    private static func add(
        _ kind: Aggregate.Kind, _ arguments: Int32, _ room: AggregateRoom, to connection: SQLiteConnection
    ) throws(StoreError) {
        // SQLite calls the destructor when the connection closes, and also when this call fails.
        let retained = Unmanaged.passRetained(AggregateFunction(kind, room)).toOpaque()
        let code = sqlite3_create_function_v2(
            connection.handle, kind.rawValue, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
            retained,
            nil,
            { context, count, values in
                guard let values, let aggregate = StatementFunctions.aggregate(of: context, isNew: true) else { return }
                if let error = aggregate.add(values[0], count > 1 ? values[1] : nil) {
                    sqlite3_result_error(context, error, -1)
                }
            },
            { context in
                guard let aggregate = StatementFunctions.aggregate(of: context, isNew: false) else { return }
                if let result = aggregate.result() { sqlite3_result_double(context, result) }
                // Balances `passRetained`: SQLite ends each aggregate once, also of an interrupted statement.
                Unmanaged.passUnretained(aggregate).release()
            }
        ) { function in
            if let function { Unmanaged<AggregateFunction>.fromOpaque(function).release() }
        }
        if code != SQLITE_OK { throw connection.error(code) }
    }

    /// A group's aggregate, in memory that SQLite zeroes at first and keeps to the group's end.
    private static func aggregate(of context: OpaquePointer?, isNew: Bool) -> Aggregate? {
        let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
        guard let memory = sqlite3_aggregate_context(context, isNew ? size : 0) else { return nil }
        // Sound: only this function reads and writes the memory, always as a pointer to an aggregate that is retained.
        let place = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if let known = place.pointee { return Unmanaged<Aggregate>.fromOpaque(known).takeUnretainedValue() }
        guard isNew, let data = sqlite3_user_data(context) else { return nil }
        let function = Unmanaged<AggregateFunction>.fromOpaque(data).takeUnretainedValue()
        let aggregate = Aggregate(function.kind, function.room)
        place.pointee = Unmanaged.passRetained(aggregate).toOpaque()
        return aggregate
    }
}

/// What SQLite keeps of an aggregate function.
private final class AggregateFunction {
    let kind: Aggregate.Kind
    let room: AggregateRoom

    init(_ kind: Aggregate.Kind, _ room: AggregateRoom) { (self.kind, self.room) = (kind, room) }
}

/// How many values a connection's aggregates keep. Belongs to its thread.
private final class AggregateRoom {
    /// 64 MB.
    static let most = 8_000_000

    var values = 0
}

/// The values of a group. Belongs to its connection's thread.
private final class Aggregate {
    enum Kind: String {
        case median
        case percentile = "percentile_cont"
        case deviation = "stddev"
    }

    private let kind: Kind
    private let room: AggregateRoom
    private var values: [Double] = []
    private var fraction: Double?
    private var spread = Spread()

    init(_ kind: Kind, _ room: AggregateRoom) { (self.kind, self.room) = (kind, room) }

    deinit { room.values -= values.count }

    /// - Returns: An error.
    func add(_ value: OpaquePointer?, _ fraction: OpaquePointer?) -> String? {
        if kind == .percentile {
            let given = Self.number(fraction)
            guard let given, 0...1 ~= given else {
                return "\(kind.rawValue)(value, fraction) takes a fraction between 0 and 1"
            }
            if let known = self.fraction, known != given {
                return "\(kind.rawValue)(value, fraction) takes the same fraction for all rows"
            }
            self.fraction = given
        }
        if sqlite3_value_type(value) == SQLITE_NULL { return nil }
        guard let number = Self.number(value), number.isFinite else {
            return "\(kind.rawValue)() takes numbers, and a value is none; leave it out, for instance by WHERE"
        }
        if kind == .deviation {
            spread.add(number)
            return nil
        }
        guard room.values < AggregateRoom.most else {
            return "\(kind.rawValue)() keeps at most \(AggregateRoom.most) values in a statement; choose fewer records"
        }
        room.values += 1
        values.append(number)
        return nil
    }

    /// `nil` for a text that is no number.
    private static func number(_ value: OpaquePointer?) -> Double? {
        let type = sqlite3_value_numeric_type(value)
        return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_value_double(value) : nil
    }

    func result() -> Double? {
        if kind == .deviation { return spread.deviation }
        guard !values.isEmpty else { return nil }
        values.sort()
        let place = (fraction ?? 0.5) * Double(values.count - 1)
        let below = Int(place)
        let above = min(below + 1, values.count - 1)
        return values[below] + (values[above] - values[below]) * (place - Double(below))
    }
}

/// The spread of numbers as they come (Welford).
private struct Spread {
    private var count = 0.0
    private var mean = 0.0
    private var squares = 0.0

    mutating func add(_ number: Double) {
        count += 1
        let distance = number - mean
        mean += distance / count
        squares += distance * (number - mean)
    }

    var deviation: Double? { count > 1 ? (squares / (count - 1)).squareRoot() : nil }
}

/// Patterns that were read. Belongs to its connection's thread.
private final class PatternCache {
    private static let most = 16
    /// A statement asks its clock and its reader once in so many steps.
    private static let pause = 100_000

    private unowned let connection: SQLiteConnection
    private var known: [(text: [UInt8], matcher: PatternMatcher)] = []
    private var unasked = 0

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// - Returns: `nil` if the statement must end.
    func isFound(
        _ pattern: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>
    ) throws(PatternProgram.Mistake) -> Bool? {
        let index = try index(of: pattern)
        var last = known[index].matcher.steps
        return known[index].matcher.isFound(in: text) { steps in
            unasked += steps - last
            last = steps
            guard unasked >= Self.pause else { return false }
            unasked = 0
            return connection.mustStop
        }
    }

    private func index(of pattern: UnsafeBufferPointer<UInt8>) throws(PatternProgram.Mistake) -> Int {
        if let known = known.firstIndex(where: { $0.text.elementsEqual(pattern) }) { return known }
        let matcher = try PatternMatcher(String(decoding: pattern, as: UTF8.self))
        if known.count == Self.most { known.removeFirst(Self.most / 2) }
        known.append((Array(pattern), matcher))
        return known.count - 1
    }
}
