/// Whether the current task is an output's delivery: the requests it makes are never recorded.
enum DeliveryScope {
    @TaskLocal static var isDelivering = false
}
