import CMicroHTTPD
import DaybookHTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The library's callbacks: each finds its connection and passes on what came.
///
/// What makes the pointers sound: `context` is the server's core, retained from before the daemons start until after
/// they stopped. A connection's own context is retained when the library announces the connection and released when
/// it announces its end; all its other callbacks come between the two, on one thread.
enum Callbacks {
    static func make(context: UnsafeMutableRawPointer) -> daybook_mhd_callbacks {
        daybook_mhd_callbacks(
            context: context, accept: accept, handle: handle, completed: completed, connection: connection,
            target: target)
    }

    private static func core(_ context: UnsafeMutableRawPointer) -> ServerCore {
        Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    }

    private static func find(_ pointer: OpaquePointer) -> Connection? {
        daybook_mhd_context(pointer).map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let accept: MHD_AcceptPolicyCallback = { context, _, _ in
        guard let context else { return daybook_mhd_no }
        return core(context).table.admits() ? daybook_mhd_yes : daybook_mhd_no
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
            // The request's own slot stays empty until its head is complete.
            return nil
        }

    private static let handle: MHD_AccessHandlerCallback = { _, pointer, _, method, _, data, size, slot in
        guard let pointer, let method, let size, let slot, let connection = find(pointer) else { return daybook_mhd_no }
        let result: CallbackResult
        if slot.pointee == nil {
            // Not owned by the request: it only marks that the head was seen.
            slot.pointee = daybook_mhd_context(pointer)
            result = connection.begin(
                method: String(cString: method), headers: headers(of: pointer),
                headSize: daybook_mhd_head_size(pointer))
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

    private static func headers(of pointer: OpaquePointer) -> HTTPHeaders {
        var result: HTTPHeaders = [:]
        withUnsafeMutablePointer(to: &result) { result in
            // The iterator runs before the call returns, so the pointer outlives its use.
            daybook_mhd_headers(
                pointer,
                { context, _, name, nameSize, value, valueSize in
                    guard let context, let name else { return daybook_mhd_yes }
                    context.assumingMemoryBound(to: HTTPHeaders.self).pointee.add(
                        Callbacks.text(name, nameSize), Callbacks.text(value, valueSize))
                    return daybook_mhd_yes
                }, result)
        }
        return result
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }
}
