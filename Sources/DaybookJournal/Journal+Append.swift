import Synchronization

extension Journal {
    /// Appends one frame, and returns when it would survive the death of the process.
    ///
    /// - Parameters:
    ///   - mask: the outputs the frame is for, one bit each, by their place in the present list of outputs.
    ///   - flags: the caller's bits; the journal's own are ignored.
    ///   - capacity: an upper bound of the payload, in bytes. Over `JournalOptions.maximumFrameBytes` the frame is
    ///     dropped and counted.
    ///   - body: writes the payload into the buffer, and returns how much it wrote. A negative result gives the frame
    ///     up: nothing is appended or counted. It runs under the journal's lock, so it must be short, and must not
    ///     call the journal.
    ///
    /// Never blocks on a disk that fails and never crashes: without a disk, frames go to a bounded memory ring.
    @inlinable
    @discardableResult
    public func append(
        mask: UInt64, flags: FrameFlags, capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Appended {
        tail.withLock { tail in
            if !tail.hasRoom(capacity) {
                // What is not a record is not counted as a lost one.
                let counted = flags.isCounted ? mask : 0
                guard makeRoom(for: capacity, mask: counted, flags: flags, in: &tail) else { return tail.nothing }
            }
            return tail.write(
                mask: mask, flags: flags.intersection(.callerBits), capacity: capacity, body)
        }
    }

    /// Appends a payload that is already encoded.
    @discardableResult
    public func append(mask: UInt64, flags: FrameFlags, payload: [UInt8]) -> Appended {
        append(mask: mask, flags: flags, capacity: payload.count) { buffer in
            buffer.copyBytes(from: payload)
            return payload.count
        }
    }

    /// Makes these bytes the context of all later frames, in this launch and behind a restart of reading.
    ///
    /// - Returns: the new context's version; the present one's if the bytes are the same, or if they are longer than
    ///   a sixteenth of a segment or 16 KiB (that is counted).
    @discardableResult
    public func updateContext(_ bytes: [UInt8]) -> UInt32 {
        tail.withLock { tail in
            guard bytes != tail.context, !tail.isClosed else { return tail.contextVersion }
            guard bytes.count <= options.maximumContextBytes else {
                shelf.withLock { $0.counters.refusedContexts += 1 }
                return tail.contextVersion
            }
            change(&tail, to: bytes)
            return tail.contextVersion
        }
    }

    /// Begins a new context. The caller holds the hot lock, and has checked the length.
    func change(_ tail: inout Tail, to context: [UInt8]) {
        tail.context = context
        tail.contextVersion &+= 1
        // Without room the next segment begins, and its header tells the context.
        guard tail.fits(context.count) else { return turn(&tail) }
        _ = tail.write(mask: 0, flags: .contextChange, capacity: context.count) { buffer in
            buffer.copyBytes(from: context)
            return context.count
        }
    }

    /// Makes these the outputs of all later frames. A new segment begins, so that the bits of one segment's masks mean
    /// one thing. New outputs start with what is appended from now on (or, by `JournalOptions.backfill`, with what
    /// there is); those that are gone keep their place. Outputs after the 64th get nothing.
    public func updateOutputs(_ outputs: [String]) {
        let table = OutputTable(outputs)
        let head = tail.withLock { tail -> UInt64? in
            guard table != tail.outputs, !tail.isClosed else { return nil }
            tail.outputs = table
            tail.tableVersion &+= 1
            turn(&tail)
            return tail.sequence &- 1
        }
        if let head { adoptOutputs(table, head: head) }
    }
}
