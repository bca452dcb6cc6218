/// How a command ended, as scripts see it.
enum ExitCode: Int32 {
    /// Done; the answer, where one was asked for, is yes.
    case done = 0
    /// Done; the answer is no.
    case no = 1
    /// The input or the command line cannot be used.
    case badInput = 2
}
