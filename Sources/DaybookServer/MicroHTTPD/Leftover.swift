/// What must be let go of after a lock was released: both call code that is not ours, which must not find it held.
struct Leftover {
    var task: Task<Void, Never>?
    var waiter: CheckedContinuation<Void, Never>?

    func release() {
        task?.cancel()
        waiter?.resume()
    }
}
