extension IngestMetrics {
    /// Adds the ingest's counts.
    /// - Parameter load: what is in work.
    package func write(to text: inout PrometheusText, load: IngestLoad) {
        let counts = snapshot
        let answers = counts.answers.sorted { left, right in
            (left.key.route, left.key.status, left.key.reason) < (right.key.route, right.key.status, right.key.reason)
        }
        text.add(
            "daybook_ingest_requests_total", .counter, "Requests to the ingest by path, status and reason.",
            answers.map { answer, count in
                (
                    [("route", answer.route), ("status", String(answer.status)), ("reason", answer.reason)],
                    Double(count)
                )
            })
        text.add("daybook_ingest_records_total", .counter, "Records stored.", counts.stored)
        text.add(
            "daybook_ingest_duplicates_total", .counter, "Records that came again and were not stored again.",
            counts.duplicates)
        text.add(
            "daybook_ingest_rejected_total", .counter, "Records that cannot be stored, told to their sender.",
            counts.rejected)
        text.add(
            "daybook_ingest_bytes_total", .counter, "Bytes of bodies as sent, of stored requests.", counts.wireBytes)
        text.add("daybook_ingest_queue_bytes", .gauge, "Bytes being decoded or waiting for a commit.", load.current)
        text.add("daybook_ingest_commit_seconds", "Time until a request's records were durable.", counts.commits)
    }

    /// Refusals so far, by reason.
    package var refusals: [String: Int] {
        snapshot.answers.reduce(into: [:]) { sums, answer in
            if answer.key.reason != "ok" { sums[answer.key.reason, default: 0] += answer.value }
        }
    }
}
