// Only on iOS, tvOS, visionOS and watchOS.
// Source: https://developer.apple.com/documentation/foundation

// Source: https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
extension ProcessInfo {
    @preconcurrency public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) {}
}
