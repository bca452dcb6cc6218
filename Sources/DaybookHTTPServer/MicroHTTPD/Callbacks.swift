import CMicroHTTPD
import DaybookHTTP

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// The library's callbacks: each finds its connection and forwards the event.
///
/// What makes the pointers sound: `context` is the server's core, retained from before the daemons start until after
/// they stop. A connection's own context is retained when the library announces the connection and released when it
/// announces its end; all its other callbacks come in between, on one thread.
enum Callbacks {
    static func make(context: UnsafeMutableRawPointer) -> daybook_mhd_callbacks {
        daybook_mhd_callbacks(
            context: context, accept: accept, handle: handle, completed: completed, connection: connection,
            target: target, refusing: refusing)
    }

    private static func core(_ context: UnsafeMutableRawPointer) -> ServerCore {
        Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    }

    private static func find(_ pointer: OpaquePointer) -> Connection? {
        daybook_mhd_context(pointer).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let accept: MHD_AcceptPolicyCallback = { context, _, _ in
        guard let context else { return daybook_mhd_no }
        return core(context).table.admits(onThread: daybook_mhd_thread()) ? daybook_mhd_yes : daybook_mhd_no
    }

    private static let connection: MHD_NotifyConnectionCallback = { context, pointer, slot, code in
        guard let context, let pointer, let slot else { return }
        if daybook_mhd_is_start(code) != 0 {
            let connection = Connection(
                core: core(context), handle: ConnectionHandle(pointer: pointer), socket: daybook_mhd_socket(pointer),
                peer: SocketAddress.text(daybook_mhd_peer(pointer)))
            connection.core.table.insert(connection)
            slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let stored = slot.pointee {
            slot.pointee = nil
            let connection = Unmanaged<Connection>.fromOpaque(stored).takeRetainedValue()
            connection.core.table.remove(connection)
        }
    }

    private static let target:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { _, text, pointer in
            guard let text, let pointer else { return nil }
            let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
            find(pointer)?.beginHead(target: Array(bytes))
            hideArguments(text, count: bytes.count)
            // The request's own slot stays empty until its head is complete.
            return nil
        }

    /// The library also parses the query, into the connection's memory, and closes the connection if a thousand
    /// arguments exhaust it. We parse the query ourselves, so leave the library a single argument.
    ///
    /// Writing is sound: the text is part of the connection's own read buffer, into which the library itself writes a
    /// NUL right after this callback, and which nobody else reads meanwhile.
    private static func hideArguments(_ text: UnsafePointer<CChar>, count: Int) {
        let bytes = UnsafeMutablePointer(mutating: text)
        for place in 0..<count where bytes[place] == CChar(bitPattern: UInt8(ascii: "&")) {
            bytes[place] = CChar(bitPattern: UInt8(ascii: "+"))
        }
    }

    private static let refusing: @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Void = { context, status in
        guard let context else { return }
        core(context).table.answerForLibrary(Int(status), onThread: daybook_mhd_thread())
    }

    private static let handle: MHD_AccessHandlerCallback = { _, pointer, _, method, version, data, size, slot in
        guard let pointer, let method, let version, let size, let slot, let connection = find(pointer) else {
            return daybook_mhd_no
        }
        let result: CallbackResult
        if slot.pointee == nil {
            // Not owned by the request: it only marks that the head was seen.
            slot.pointee = daybook_mhd_context(pointer)
            let headSize = daybook_mhd_head_size(pointer)
            var head = ParsedHead(after: version)
            withUnsafeMutablePointer(to: &head) { daybook_mhd_headers(pointer, field, $0) }
            let isPlain =
                daybook_mhd_is_strict() != 0
                ? head.headers.areWellFormed : head.isPlain(endingAt: UnsafePointer(method) + headSize)
            result = connection.begin(
                method: String(cString: method).streamSafe, version: String(cString: version).streamSafe,
                headers: head.headers, isPlain: isPlain, headSize: headSize)
        } else if size.pointee > 0 {
            result = connection.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
            size.pointee = 0
        } else {
            result = connection.proceed()
        }
        switch result {
        case .proceed:
            return daybook_mhd_yes
        case .close:
            return daybook_mhd_no
        case .reply(let reply):
            return Reply.queue(reply, on: connection, isHead: strcmp(method, "HEAD") == 0)
                ? daybook_mhd_yes : daybook_mhd_no
        }
    }

    private static let completed: MHD_RequestCompletedCallback = { _, pointer, slot, code in
        guard let pointer, let slot, slot.pointee != nil else { return }
        slot.pointee = nil
        find(pointer)?.finish(isComplete: daybook_mhd_is_complete(code) != 0)
    }

    /// The fields of the head that the library has read. Only on the connection's thread.
    static func headers(of pointer: OpaquePointer) -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        withUnsafeMutablePointer(to: &headers) { place in
            daybook_mhd_headers(
                pointer,
                { context, _, name, nameSize, value, valueSize in
                    context?.assumingMemoryBound(to: HTTPHeaders.self).pointee.add(
                        ParsedHead.text(name, nameSize), ParsedHead.text(value, valueSize))
                    return daybook_mhd_yes
                }, place)
        }
        return headers
    }

    /// The iterator finishes before the call it is passed to returns, so the head outlives its use.
    private static let field: MHD_KeyValueIteratorN = { context, _, name, nameSize, value, valueSize in
        guard let context, let name else { return daybook_mhd_yes }
        context.assumingMemoryBound(to: ParsedHead.self).pointee.add(name, nameSize, value, valueSize)
        return daybook_mhd_yes
    }
}

/// The headers as the library parsed them, and whether they are everything in the head.
///
/// Before 1.0 the library parses leniently: it joins folded lines, accepts a lone CR or LF as a line end, and ends names
/// and values at a NUL, so a proxy in front may have seen another request in the same bytes (RFC 9112, sections 2.2,
/// 5.1 and 5.2). It parses in place and copies only what it must join, so the fields' addresses reveal anything between
/// them. Addresses are compared, never dereferenced.
struct ParsedHead {
    private(set) var headers: HTTPHeaders = [:]
    /// Where the next field must begin.
    private var end: UnsafePointer<CChar>
    private var isContiguous = true

    /// - Parameter version: The last word of the request line.
    init(after version: UnsafePointer<CChar>) { end = version + strlen(version) + 2 }

    mutating func add(_ name: UnsafePointer<CChar>, _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int) {
        headers.add(Self.text(name, nameSize), Self.text(value, valueSize))
        // The library may report no address for an empty value; the line then ends after the colon.
        let valueEnd = value.map { $0 + valueSize } ?? name + nameSize + 1
        isContiguous = isContiguous && name == end && valueEnd > name + nameSize
        end = valueEnd + 2
    }

    /// Whether the head contains nothing but the fields, all names are tokens, and no value has control characters.
    func isPlain(endingAt headEnd: UnsafePointer<CChar>) -> Bool {
        isContiguous && end + 2 == headEnd && headers.areWellFormed
    }

    fileprivate static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(streamSafe: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
