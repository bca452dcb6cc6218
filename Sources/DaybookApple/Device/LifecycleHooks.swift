#if canImport(Darwin)
    import Daybook
    import Foundation

    #if os(watchOS)
        import WatchKit
    #elseif canImport(UIKit)
        import UIKit
    #else
        import AppKit
    #endif

    /// Flushes and suspends a pipeline when its app enters the background, and resumes it when the app returns.
    ///
    /// Keep it as long as the pipeline:
    ///
    /// ```swift
    /// let hooks = LifecycleHooks(pipeline)
    /// ```
    ///
    /// A Mac's apps go on in the background: there it flushes when the app is no longer the active one, and suspends the
    /// pipeline while the Mac sleeps. What is not delivered when the app quits waits in the journal for the next launch.
    ///
    /// Not for app extensions, which have no background time: call `suspend()` where their work ends.
    @MainActor public final class LifecycleHooks {
        private var machine = LifecycleMachine()
        private var observers: [NotificationToken] = []
        private var background = BackgroundTime()
        private var questions = 0
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
            #if os(watchOS)
                observe(WKApplication.didEnterBackgroundNotification) { $0.take(.entersBackground) }
                observe(WKApplication.willEnterForegroundNotification) { $0.take(.entersForeground) }
            #elseif canImport(UIKit)
                observe(UIApplication.didEnterBackgroundNotification) { $0.take(.entersBackground) }
                observe(UIApplication.willEnterForegroundNotification) { $0.take(.entersForeground) }
            #else
                let center = NSWorkspace.shared.notificationCenter
                observe(NSWorkspace.willSleepNotification, center) { $0.take(.entersBackground) }
                observe(NSWorkspace.didWakeNotification, center) { $0.take(.entersForeground) }
                observe(NSApplication.didResignActiveNotification) { $0.flushAwake() }
            #endif
        }

        private func observe(
            _ name: Notification.Name, _ center: NotificationCenter = .default,
            _ body: @escaping @MainActor @Sendable (LifecycleHooks) -> Void
        ) {
            observers.append(
                NotificationToken(name, center: center, queue: .main) { [weak self] in
                    MainActor.assumeIsolated { if let self { body(self) } }
                })
        }

        private func take(_ happening: LifecycleMachine.Happening) {
            for action in machine.take(happening) { perform(action) }
        }

        private func perform(_ action: LifecycleMachine.Action) {
            switch action {
            case .askForTime:
                questions += 1
                let number = questions
                background.ask { [weak self] answer in
                    if self?.questions == number { self?.take(answer) }
                }
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
                background.giveBack()
            case .resume:
                resume()
            }
        }

        #if canImport(AppKit)
            /// App Nap would slow it.
            private func flushAwake() {
                let activity = ProcessInfo.processInfo.beginActivity(
                    options: .userInitiatedAllowingIdleSystemSleep, reason: "daybook.flush")
                Task {
                    await flush()
                    ProcessInfo.processInfo.endActivity(activity)
                }
            }
        #endif
    }

    /// The system's permission to go on for a while in the background.
    @MainActor private struct BackgroundTime {
        #if os(watchOS)
            /// Signalled when the time is given back.
            private var end: DispatchSemaphore?

            mutating func ask(_ answer: @escaping @MainActor @Sendable (LifecycleMachine.Happening) -> Void) {
                giveBack()
                let end = DispatchSemaphore(value: 0)
                self.end = end
                // The time lasts until the block returns. If none is granted, or it runs out, it is called with `true`.
                ProcessInfo.processInfo.performExpiringActivity(withReason: "daybook.flush") { expires in
                    DispatchQueue.main.async {
                        MainActor.assumeIsolated { answer(expires ? .timeExpires : .timeGranted(true)) }
                    }
                    if !expires { _ = end.wait(timeout: .now() + 30) }
                }
            }

            mutating func giveBack() {
                end?.signal()
                end = nil
            }
        #elseif canImport(UIKit)
            private var identifier = UIBackgroundTaskIdentifier.invalid

            mutating func ask(_ answer: @escaping @MainActor @Sendable (LifecycleMachine.Happening) -> Void) {
                giveBack()
                identifier = UIApplication.shared.beginBackgroundTask(withName: "daybook.flush") {
                    MainActor.assumeIsolated { answer(.timeExpires) }
                }
                let isGranted = identifier != .invalid
                DispatchQueue.main.async { MainActor.assumeIsolated { answer(.timeGranted(isGranted)) } }
            }

            mutating func giveBack() {
                guard identifier != .invalid else { return }
                UIApplication.shared.endBackgroundTask(identifier)
                identifier = .invalid
            }
        #else
            /// A Mac that is about to sleep does not wait.
            func ask(_ answer: @escaping @MainActor @Sendable (LifecycleMachine.Happening) -> Void) {
                DispatchQueue.main.async { MainActor.assumeIsolated { answer(.timeGranted(false)) } }
            }

            func giveBack() {}
        #endif
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
        /// The system's answer to the last ``Action/askForTime``; earlier ones no longer count.
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
    /// From the question on, unless the answer is no.
    private var mayHaveTime = false

    package init() {}

    package mutating func take(_ happening: Happening) -> [Action] {
        switch (state, happening) {
        case (.active, .entersBackground):
            state = .asking
            mayHaveTime = true
            return [.askForTime]
        case (.asking, .timeGranted(let isGranted)):
            mayHaveTime = isGranted
            state = isGranted ? .flushing : .suspending
            return [isGranted ? .flush : .suspend]
        case (.asking, .timeExpires):
            state = .suspending
            return [.suspend] + timeBack()
        case (.asking, .entersForeground):
            state = .active
            return timeBack()
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
        defer { mayHaveTime = false }
        return mayHaveTime ? [.giveTimeBack] : []
    }
}
