import DaybookBase
import DaybookTools
import Dispatch

/// What one thread makes and another takes, in order, so that both work at once. Thread-safe.
final class ReadAhead<Element: Sendable>: Sendable {
    private struct State {
        var made: [Element] = []
        var failure: StoreError?
        var isUnwanted = false
    }

    /// How many elements wait at most.
    private static var most: Int { 2 }

    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: 0)
    private let made = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts to make elements. Until ``end()`` has returned, what `make` uses is its own.
    /// - Parameter make: Passes each element on, until it is told `false`.
    init(on threads: WorkThreads, _ make: @escaping @Sendable ((Element) -> Bool) throws(StoreError) -> Void) {
        for _ in 0..<Self.most { room.signal() }
        threads.add { [self] in
            do throws(StoreError) {
                try make(pass)
            } catch {
                state.withLock { $0.failure = error }
            }
            made.signal()
            ended.signal()
        }
    }

    private func pass(_ element: Element) -> Bool {
        room.wait()
        let isWanted = state.withLock { state in
            if !state.isUnwanted { state.made.append(element) }
            return !state.isUnwanted
        }
        if isWanted { made.signal() }
        return isWanted
    }

    /// The next element, once it is made; `nil` behind the last one.
    /// - Throws: What `make` has thrown, behind the last element.
    func take() throws(StoreError) -> Element? {
        made.wait()
        let (element, failure) = state.withLock { state in
            (state.made.isEmpty ? nil : state.made.removeFirst(), state.failure)
        }
        guard let element else {
            if let failure { throw failure }
            return nil
        }
        room.signal()
        return element
    }

    /// Returns once nothing is made any more; to be called once.
    func end() {
        state.withLock { $0.isUnwanted = true }
        room.signal()
        ended.wait()
    }
}
