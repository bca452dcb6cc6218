import Synchronization

/// The pipeline that logs without their own write to.
enum InstalledPipeline {
    /// Below it the installed pipeline takes nothing; everything passes while there is none, since early records are
    /// kept. Follows the pipeline.
    static let threshold = LevelThreshold(0)

    /// The address of a pipeline that was retained for good when it was installed, or 0. Reading it needs no lock, and
    /// the object cannot go away under a reader: installing again leaks the earlier one on purpose.
    private static let slot = Atomic<UInt>(0)
    /// Held while the threshold is set, so that it is always that of the pipeline in the slot.
    private static let settingThreshold = Mutex(())

    @inline(__always)
    static var current: Unmanaged<PipelineCore>? {
        UnsafeRawPointer(bitPattern: slot.load(ordering: .acquiring)).map(Unmanaged.fromOpaque)
    }

    static func install(_ core: PipelineCore) {
        slot.store(UInt(bitPattern: Unmanaged.passRetained(core).toOpaque()), ordering: .releasing)
        followThreshold()
        EarlyRecords.release(to: core)
    }

    /// Takes over the installed pipeline's threshold.
    static func followThreshold() {
        settingThreshold.withLock { _ in
            guard let core = current else { return }
            threshold.minimum.store(
                core._withUnsafeGuaranteedRef { $0.threshold.minimum.load(ordering: .acquiring) }, ordering: .releasing)
        }
    }
}
