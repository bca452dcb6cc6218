extension FieldEncoder {
    /// Runs an encoder over memory that grows until everything fits.
    static func encoded(tag: UInt8, key: HashKey, _ encode: (inout FieldEncoder) -> Void) -> [UInt8] {
        var capacity = 1024
        while true {
            var isTooLong = false
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                let writer = ProtobufWriter(UnsafeMutableRawBufferPointer(buffer), startingAt: base)
                var fields = FieldEncoder(writer: writer, field: tag, key: key)
                encode(&fields)
                isTooLong = fields.writer.overflowed
                count = isTooLong ? 0 : fields.writer.count
            }
            if !isTooLong { return bytes }
            capacity *= 4
        }
    }
}
