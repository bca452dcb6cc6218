package io.opentelemetry.exporter.otlp.http.logs

import io.opentelemetry.sdk.common.CompletableResultCode
import io.opentelemetry.sdk.logs.data.LogRecordData
import io.opentelemetry.sdk.logs.export.LogRecordExporter
import java.io.Closeable

/** Prints what it would send, and fails while it is offline. */
class OtlpHttpLogRecordExporter private constructor(private val target: String) : LogRecordExporter, Closeable {
    override fun export(logs: Collection<LogRecordData>): CompletableResultCode {
        println((if (isOffline) "lost " else "sent ") + logs.joinToString { it.line } + " $target")
        return if (isOffline) CompletableResultCode.ofFailure() else CompletableResultCode.ofSuccess()
    }

    override fun close() {}

    companion object {
        var isOffline = false

        @JvmStatic fun builder() = OtlpHttpLogRecordExporterBuilder()
    }

    class OtlpHttpLogRecordExporterBuilder {
        private var target = ""

        fun setEndpoint(endpoint: String) = apply { target += endpoint }
        fun addHeader(key: String, value: String) = apply { target += " $key: $value" }
        fun setCompression(method: String) = apply {}
        fun build() = OtlpHttpLogRecordExporter(target)
    }
}
