import DaybookJournal

extension FrameFlags {
    /// How much a record of this level matters to a full journal: 0 for trace and debug, 1 for info, 2 for warning, 3 for
    /// error and fatal.
    @inline(__always)
    static func priority(of level: Level) -> FrameFlags { .priority(Int(level.rawValue >> 2) &- 1) }
}

extension JournalOptions.Policy {
    /// At the cap, new records below this level are refused and counted until an output has made room; the others take
    /// the place of the oldest segment, whatever that holds. `trace` and `debug` count alike, and so do `error` and
    /// `fatal`; below `info` nothing can be refused, so that `trace` and `debug` mean `info`.
    public static func dropBelow(_ level: Level) -> JournalOptions.Policy {
        .dropBelow(priority: max(1, Int(level.rawValue >> 2) - 1))
    }
}
