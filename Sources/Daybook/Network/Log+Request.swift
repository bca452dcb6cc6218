import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Log {
    /// Sends a request and records the exchange: method, address, status, sizes, duration, error.
    ///
    /// The server gets a `traceparent` header (W3C Trace Context), so that its spans join this one. Neither headers nor
    /// bodies are recorded, nor user, password and fragment of the address; query values are replaced by `REDACTED`, because
    /// that is where tokens and names travel.
    /// - Throws: What the session throws.
    public func data(
        for request: URLRequest, using session: URLSession = .shared, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line
    ) async throws -> (Data, URLResponse) {
        let exchange = HTTPExchange(request)
        let measurement = start(
            exchange.name, level: .info, isRequest: true, parent: SpanContext.current,
            site: CallSite(fileID: fileID, function: function, line: line))
        var request = request
        request.setValue(measurement.context.traceParent, forHTTPHeaderField: "traceparent")
        do {
            let (data, response) = try await session.data(for: request)
            let status = (response as? HTTPURLResponse)?.statusCode
            measurement.end(
                exchange.attributes(status: status, responseBytes: data.count),
                failure: exchange.failure(status: status))
            return (data, response)
        } catch {
            var attributes = exchange.attributes(status: nil, responseBytes: nil)
            attributes["error.type"] = .string(String(reflecting: type(of: error)))
            measurement.end(attributes, failure: error.localizedDescription)
            throw error
        }
    }
}
