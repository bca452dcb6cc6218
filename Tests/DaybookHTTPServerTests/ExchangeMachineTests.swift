import DaybookHTTP
import Testing

@testable import DaybookHTTPServer

@Suite struct ExchangeMachineTests {
    private func name(_ action: ExchangeMachine.Action) -> String {
        switch action {
        case .read: "read"
        case .dispatch(let body): "dispatch \(body.count)"
        case .reply(let response): "reply \(response.status)"
        case .replyAhead(let response): "replyAhead \(response.status)"
        case .wait: "wait"
        case .close: "close"
        }
    }

    private func begin(_ body: RequestFraming.Body, _ admission: HTTPAdmission) -> ExchangeMachine {
        var machine = ExchangeMachine(discardLimit: 100)
        var headers: HTTPHeaders = [:]
        switch body {
        case .none: break
        case .length(let length): headers["content-length"] = String(length)
        case .chunked: headers["transfer-encoding"] = "chunked"
        }
        if let framing = try? RequestFraming(headers, version: "HTTP/1.1") {
            #expect(name(machine.begin(framing, admission)) == "read")
        }
        return machine
    }

    private func receive(_ machine: inout ExchangeMachine, _ count: Int) -> String {
        let bytes = [UInt8](repeating: 7, count: count)
        return bytes.withUnsafeBytes { name(machine.receive($0)) }
    }

    @Test("A body of exactly the limit is dispatched, and one byte more is 413") func limitIsInclusive() {
        var exact = begin(.chunked, .accept(bodyLimit: 10))
        #expect(receive(&exact, 10) == "read")
        #expect(name(exact.proceed()) == "dispatch 10")
        var over = begin(.chunked, .accept(bodyLimit: 10))
        #expect(receive(&over, 10) == "read")
        #expect(receive(&over, 1) == "read")
        #expect(over.bufferedBytes == 0)
        #expect(name(over.proceed()) == "reply 413")
    }

    @Test("An announced length over the limit is never buffered") func announcedExcessUnread() {
        var machine = begin(.length(11), .accept(bodyLimit: 10))
        #expect(receive(&machine, 11) == "read")
        #expect(machine.bufferedBytes == 0)
        #expect(name(machine.proceed()) == "reply 413")
    }

    @Test("A refusal is sent ahead once the discard limit is reached") func refusalGoesAhead() {
        var machine = begin(.chunked, .refuse(HTTPResponse(status: 429)))
        #expect(receive(&machine, 100) == "read")
        #expect(receive(&machine, 1) == "replyAhead 429")
        #expect(receive(&machine, 100) == "read")
        #expect(receive(&machine, 1) == "close")
    }

    @Test("The connection closes when the body ends after an early reply") func bodyEndClosesAfterReply() {
        var machine = begin(.length(150), .refuse(HTTPResponse(status: 429)))
        #expect(receive(&machine, 101) == "replyAhead 429")
        #expect(name(machine.proceed()) == "close")
    }

    @Test("A refusal in place of 100 Continue is sent at once") func refusesInsteadOf100() throws {
        var machine = ExchangeMachine(discardLimit: 100)
        let framing = try RequestFraming(["content-length": "5", "expect": "100-continue"], version: "HTTP/1.1")
        #expect(name(machine.begin(framing, .refuse(HTTPResponse(status: 429)))) == "reply 429")
    }

    @Test("An exchange resumes with its first answer and ignores later ones") func answersOnce() {
        var machine = begin(.none, .accept(bodyLimit: 10))
        #expect(name(machine.proceed()) == "dispatch 0")
        #expect(name(machine.proceed()) == "wait")
        #expect(machine.answer(HTTPResponse(status: 200)) == true)
        #expect(machine.answer(HTTPResponse(status: 201)) == false)
        #expect(machine.abandon() == false)
        #expect(name(machine.proceed()) == "reply 200")
        #expect(name(machine.proceed()) == "close")
    }

    @Test("An abandoned handler is answered with 503 and its late answer ignored") func lateAnswerIsIgnored() {
        var machine = begin(.none, .accept(bodyLimit: 10))
        #expect(name(machine.proceed()) == "dispatch 0")
        #expect(machine.abandon() == true)
        #expect(machine.answer(HTTPResponse(status: 200)) == false)
        #expect(name(machine.proceed()) == "reply 503")
    }

    @Test("Nothing is dispatched once the exchange is abandoned") func abandonedIsNotDispatched() {
        var machine = begin(.chunked, .accept(bodyLimit: 10))
        #expect(machine.abandon() == false)
        #expect(receive(&machine, 5) == "read")
        #expect(name(machine.proceed()) == "reply 503")
    }
}
