/// What a pipeline is to do as its app comes and goes. Pure: it is told what happens and returns what to do, in order.
///
/// On the way to the background the system gives an app a few seconds if it asks for them. They go to delivering what is
/// recorded; then the pipeline is suspended, which makes all of it durable, and the time is given back. Where time runs
/// out first, or none is given, the pipeline is suspended at once: nothing is lost, the next launch delivers it.
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
        /// Back in the foreground before the pipeline was suspended: it is resumed once it is.
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
            // The flush may end as it likes.
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
