import DaybookStore
import Dispatch
import Synchronization

/// The new rows of a plan as the body of an INSERT, made on a thread of its own while the servers are asked. Safe to share
/// between threads.
final class EncodedRows: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let work = DispatchGroup()

    /// Begins. The plan's rows have their arrival numbers.
    init(_ plan: CommitPlan) {
        work.enter()
        DispatchQueue.global(qos: .utility).async {
            self.bytes.withLock { $0 = Self.encode(plan) }
            self.work.leave()
        }
    }

    /// Blocks until they are made, and gives them away.
    func take() -> [UInt8] {
        work.wait()
        return bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    private static func encode(_ plan: CommitPlan) -> [UInt8] {
        var binary = RowBinary()
        var contexts = ContextFieldsCache()
        for part in plan.parts {
            for (offset, place) in part.newRows.enumerated() {
                StoredRow.append(
                    part.batch.rows[place], id: part.firstID + Int64(offset),
                    contexts.fields(of: part.batch.rows[place].context), to: &binary)
            }
        }
        return binary.bytes
    }
}
