package io.opentelemetry.sdk.logs.export

import io.opentelemetry.sdk.common.CompletableResultCode
import io.opentelemetry.sdk.logs.LogRecordProcessor
import io.opentelemetry.sdk.logs.data.LogRecordData

interface LogRecordExporter {
    fun export(logs: Collection<LogRecordData>): CompletableResultCode
}

class SimpleLogRecordProcessor private constructor(private val exporter: LogRecordExporter) : LogRecordProcessor {
    override fun onEmit(record: LogRecordData) {
        exporter.export(listOf(record))
    }

    companion object {
        @JvmStatic fun create(exporter: LogRecordExporter): LogRecordProcessor = SimpleLogRecordProcessor(exporter)
    }
}
