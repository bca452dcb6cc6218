import Synchronization

/// The pipeline that logs without their own write to.
@usableFromInline
enum InstalledPipeline {
    /// The severity number below which the installed pipeline takes nothing; 0 while there is none, since early records
    /// are kept. Set after the pipeline, and no more than a shortcut: the pipeline checks the level itself.
    @usableFromInline static let minimumSeverity = Atomic<UInt8>(0)

    /// The address of a pipeline that was retained for good when it was installed, or 0. Reading it needs no lock, and
    /// the object cannot go away under a reader: installing again leaks the earlier one on purpose.
    private static let slot = Atomic<UInt>(0)

    @inline(__always)
    static var current: Unmanaged<PipelineCore>? {
        UnsafeRawPointer(bitPattern: slot.load(ordering: .acquiring)).map(Unmanaged.fromOpaque)
    }

    static func install(_ core: PipelineCore) {
        slot.store(UInt(bitPattern: Unmanaged.passRetained(core).toOpaque()), ordering: .releasing)
        minimumSeverity.store(core.minimumLevel.rawValue, ordering: .releasing)
        EarlyRecords.release(to: core)
    }
}
