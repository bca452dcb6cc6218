import Daybook
import DaybookBase

/// An immediate output that keeps what it is given.
final class RecordingOutput: Output {
    let id: String
    private let state = Mutex<[Record]>([])

    init(id: String = "recording") { self.id = id }

    func write(_ record: Record) { state.withLock { $0.append(record) } }

    var records: [Record] { state.withLock { $0 } }
}
