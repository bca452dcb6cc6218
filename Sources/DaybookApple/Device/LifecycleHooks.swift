#if canImport(UIKit)
    import Daybook
    import Foundation
    import UIKit

    /// Flushes and suspends a pipeline when its app enters the background, and resumes it when the app returns.
    ///
    /// Keep it as long as the pipeline:
    ///
    /// ```swift
    /// let hooks = LifecycleHooks(pipeline)
    /// ```
    ///
    /// Not for app extensions, which have no background time: call `suspend()` where their work ends.
    @MainActor public final class LifecycleHooks {
        private var machine = LifecycleMachine()
        private var background = UIBackgroundTaskIdentifier.invalid
        private var observers: [NotificationToken] = []
        private let flush: @Sendable () async -> Void
        private let suspend: @Sendable () async -> Void
        private let resume: @Sendable () -> Void

        /// Starts observing the app's lifecycle.
        ///
        /// ```swift
        /// let hooks = LifecycleHooks(pipeline)    // keep it as long as the pipeline
        /// ```
        /// - Parameters:
        ///   - pipeline: Flushed, suspended and resumed; retained.
        ///   - deadline: Longest delivery in the background, where the system gives about 5 to 30 s. Default 4 s.
        public init(_ pipeline: Pipeline<some LogContext>, deadline: Duration = .seconds(4)) {
            flush = { try? await pipeline.flush(deadline: deadline) }
            suspend = { await pipeline.suspend() }
            resume = { pipeline.resume() }
            observe(UIApplication.didEnterBackgroundNotification, .entersBackground)
            observe(UIApplication.willEnterForegroundNotification, .entersForeground)
        }

        private func observe(_ name: Notification.Name, _ happening: LifecycleMachine.Happening) {
            observers.append(
                NotificationToken(name, queue: .main) { [weak self] in
                    MainActor.assumeIsolated { self?.take(happening) }
                })
        }

        private func take(_ happening: LifecycleMachine.Happening) {
            for action in machine.take(happening) { perform(action) }
        }

        private func perform(_ action: LifecycleMachine.Action) {
            switch action {
            case .askForTime:
                background = UIApplication.shared.beginBackgroundTask(withName: "daybook.flush") { [weak self] in
                    MainActor.assumeIsolated { self?.take(.timeExpires) }
                }
                take(.timeGranted(background != .invalid))
            case .flush:
                Task {
                    await flush()
                    take(.flushed)
                }
            case .suspend:
                Task {
                    await suspend()
                    take(.suspended)
                }
            case .giveTimeBack:
                UIApplication.shared.endBackgroundTask(background)
                background = .invalid
            case .resume:
                resume()
            }
        }
    }
#endif

/// What a pipeline does when its app enters the background or foreground. Pure: it takes events and returns actions in
/// order.
///
/// On entering the background, a few seconds are requested and used to deliver; then the pipeline is suspended, which
/// makes everything durable, and the background task ends. If time runs out or is not granted, it is suspended at once:
/// nothing is lost, and the next launch delivers.
package struct LifecycleMachine: Sendable {
    package enum Happening: Sendable, Hashable {
        case entersBackground
        /// The system's answer to ``Action/askForTime``.
        case timeGranted(Bool)
        case flushed
        case suspended
        case timeExpires
        case entersForeground
    }

    package enum Action: Sendable, Hashable {
        case askForTime
        /// Ends with ``Happening/flushed``.
        case flush
        /// Ends with ``Happening/suspended``.
        case suspend
        case giveTimeBack
        case resume
    }

    private enum State {
        case active, asking, flushing, suspending, suspended
        /// In the foreground while still suspending: resume afterwards.
        case returning
    }

    private var state = State.active
    private var hasTime = false

    package init() {}

    package mutating func take(_ happening: Happening) -> [Action] {
        switch (state, happening) {
        case (.active, .entersBackground):
            state = .asking
            return [.askForTime]
        case (.asking, .timeGranted(let isGranted)):
            hasTime = isGranted
            state = isGranted ? .flushing : .suspending
            return [isGranted ? .flush : .suspend]
        case (.flushing, .flushed):
            state = .suspending
            return [.suspend]
        case (.flushing, .timeExpires):
            state = .suspending
            return [.suspend] + timeBack()
        case (.flushing, .entersForeground):
            // The flush may end either way.
            state = .active
            return timeBack()
        case (.suspending, .suspended):
            state = .suspended
            return timeBack()
        case (.suspending, .entersForeground):
            state = .returning
            return []
        case (.returning, .entersBackground):
            state = .suspending
            return []
        case (.returning, .suspended):
            state = .active
            return timeBack() + [.resume]
        case (.suspended, .entersForeground):
            state = .active
            return [.resume]
        case (_, .timeExpires):
            return timeBack()
        default:
            return []
        }
    }

    private mutating func timeBack() -> [Action] {
        defer { hasTime = false }
        return hasTime ? [.giveTimeBack] : []
    }
}
