#if canImport(SwiftUI)
    import Daybook
    import SwiftUI

    extension EnvironmentValues {
        /// The log that views record to. Default: `Log("app")`, which writes to the installed pipeline.
        ///
        /// ```swift
        /// @Environment(\.log) private var log
        /// ```
        ///
        /// A preview or a test sets its own: `.environment(\.log, pipeline.log("preview"))`.
        public var log: Log {
            get { self[LogKey.self] }
            set { self[LogKey.self] = newValue }
        }
    }

    private struct LogKey: EnvironmentKey {
        static let defaultValue = Log("app")
    }

    // `logs`, because a member `log` on every view would shadow the logarithm: `log(x)` would not compile.
    extension View {
        /// Records an event each time this view appears, to the log of its environment.
        ///
        /// As often as SwiftUI calls `onAppear`: also on return from a screen on top of it, and for each row of a list
        /// that scrolls into view.
        /// - Parameter event: Evaluated when the view appears.
        public func logs<Event: LogEvent>(onAppear event: @autoclosure @escaping () -> Event) -> some View {
            modifier(EventModifier(moment: .appear, event: event))
        }

        /// Records an event each time this view disappears, to the log of its environment.
        /// - Parameter event: Evaluated when the view disappears.
        public func logs<Event: LogEvent>(onDisappear event: @autoclosure @escaping () -> Event) -> some View {
            modifier(EventModifier(moment: .disappear, event: event))
        }

        /// Records an event for each tap on this view, to the log of its environment.
        ///
        /// The tap is recognised alongside the view's own gestures: a button's action still runs, and a list row still
        /// navigates. To also count a button's use from a keyboard or by VoiceOver, post the event in its action
        /// instead.
        /// - Parameter event: Evaluated on each tap.
        public func logs<Event: LogEvent>(onTap event: @autoclosure @escaping () -> Event) -> some View {
            modifier(EventModifier(moment: .tap, event: event))
        }
    }

    private struct EventModifier<Event: LogEvent>: ViewModifier {
        enum Moment { case appear, disappear, tap }

        let moment: Moment
        let event: () -> Event
        @Environment(\.log) private var log

        init(moment: Moment, event: @escaping () -> Event) {
            self.moment = moment
            self.event = event
        }

        func body(content: Content) -> some View {
            switch moment {
            case .appear: content.onAppear { log.post(event()) }
            case .disappear: content.onDisappear { log.post(event()) }
            case .tap: content.simultaneousGesture(TapGesture().onEnded { log.post(event()) })
            }
        }
    }
#endif
