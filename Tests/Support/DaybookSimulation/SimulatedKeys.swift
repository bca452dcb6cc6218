import DaybookBase
import DaybookCollector
import DaybookHTTP
import DaybookInspector
import DaybookTesting

/// The collector's keys, in their file and in memory. Every holder has their own.
final class SimulatedKeys: Sendable {
    let ring: KeyRing
    let token = AccessToken()
    private let file: String
    private let clock: ManualClock
    private let planted: PlantedFault?
    private let texts = Mutex<[String: String]>([:])

    init(file: String, clock: ManualClock, planted: PlantedFault?) {
        (self.file, self.clock, self.planted) = (file, clock, planted)
        ring = KeyRing([], clock: clock.clock)
    }

    /// A holder's last key, which may have been revoked.
    func text(_ holder: String) -> String { texts.withLock { $0[holder] ?? "" } }

    func add(_ holder: String, _ purpose: StoredKey.Purpose) throws {
        let key = APIKey()
        try change {
            $0.append(StoredKey(key, name: holder, purpose: purpose, created: clock.clock.wall(), quota: KeyQuota()))
        }
        texts.withLock { $0[holder] = key.text }
    }

    func revoke(_ holder: String) throws { try change { $0.removeAll { $0.name == holder } } }

    private func change(_ body: (inout [StoredKey]) -> Void) throws {
        try KeyFile.change(file, creates: true) { body(&$0) }
        let keys = try KeyFile.read(file)
        // With the planted fault, the collector sees only additions.
        if planted != .forgetsRevocation || keys.count >= texts.withLock({ $0.count }) { ring.replace(with: keys) }
    }

    /// What a key opens in the inspector, as in `daybook serve`.
    @Sendable func access(_ headers: HTTPHeaders) -> InspectorAccess? {
        if planted == .forgetsMasking, case .accepted = ring.judge(headers, for: .read) { return .everything }
        if case .accepted = ring.judge(headers, for: .manage) { return .everything }
        if case .accepted = ring.judge(headers, for: .read) { return .reading }
        if case .accepted = ring.judge(headers, for: .ingest) { return .sending }
        return nil
    }
}
