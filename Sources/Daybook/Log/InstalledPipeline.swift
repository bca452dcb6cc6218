import Synchronization

/// The pipeline that logs without their own write to.
enum InstalledPipeline {
    /// The address of a pipeline that was retained for good when it was installed, or 0. Reading it needs no lock, and
    /// the object cannot go away under a reader: installing again leaks the earlier one on purpose.
    private static let slot = Atomic<UInt>(0)

    @inline(__always)
    static var current: PipelineCore? {
        guard let pointer = UnsafeRawPointer(bitPattern: slot.load(ordering: .acquiring)) else { return nil }
        return Unmanaged<PipelineCore>.fromOpaque(pointer).takeUnretainedValue()
    }

    static func install(_ core: PipelineCore) {
        slot.store(UInt(bitPattern: Unmanaged.passRetained(core).toOpaque()), ordering: .releasing)
        EarlyRecords.release(to: core)
    }
}
