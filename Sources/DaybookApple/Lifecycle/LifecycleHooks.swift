#if canImport(UIKit)
    import Daybook
    import Foundation
    import UIKit

    /// Flushes and suspends a pipeline when its app goes to the background, and resumes it when the app comes back.
    ///
    /// Keep it for as long as the pipeline lives:
    ///
    /// ```swift
    /// let hooks = LifecycleHooks(pipeline)
    /// ```
    ///
    /// Not for app extensions: they have no background time, call `suspend()` where their work ends.
    @MainActor public final class LifecycleHooks {
        private var machine = LifecycleMachine()
        private var background = UIBackgroundTaskIdentifier.invalid
        /// Sound: written by `init` alone, and read by `deinit`, when nobody else has it.
        nonisolated(unsafe) private var observers: [any NSObjectProtocol] = []
        private let flush: @Sendable () async -> Void
        private let suspend: @Sendable () async -> Void
        private let resume: @Sendable () -> Void

        /// Begins to watch the app.
        /// - Parameters:
        ///   - pipeline: Flushed, suspended and resumed; held.
        ///   - deadline: At most so long is spent on delivering in the background. The system gives about 5 to 30 s.
        ///     Default 4 s.
        public init(_ pipeline: Pipeline<some LogContext>, deadline: Duration = .seconds(4)) {
            flush = { try? await pipeline.flush(deadline: deadline) }
            suspend = { await pipeline.suspend() }
            resume = { pipeline.resume() }
            observe(UIApplication.didEnterBackgroundNotification, .entersBackground)
            observe(UIApplication.willEnterForegroundNotification, .entersForeground)
        }

        deinit {
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }

        private func observe(_ name: Notification.Name, _ happening: LifecycleMachine.Happening) {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { [weak self] _ in
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
