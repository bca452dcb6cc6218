import DaybookHTTP

/// What every answer of the inspector tells the browser to refuse.
enum SecurityHeaders {
    /// The page needs its own files and nothing else; `require-trusted-types-for` turns any way of making markup from
    /// text into an error, so that a payload can only ever be text.
    static let contentSecurityPolicy = """
        default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; \
        require-trusted-types-for 'script'
        """

    static func add(to response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers["content-security-policy"] = contentSecurityPolicy
        response.headers["x-content-type-options"] = "nosniff"
        response.headers["referrer-policy"] = "no-referrer"
        response.headers["x-frame-options"] = "DENY"
        response.headers["cross-origin-opener-policy"] = "same-origin"
        response.headers["cross-origin-resource-policy"] = "same-origin"
        return response
    }
}
