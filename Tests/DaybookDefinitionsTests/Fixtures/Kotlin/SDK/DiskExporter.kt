package io.opentelemetry.contrib.disk.buffering.exporters

import io.opentelemetry.contrib.disk.buffering.storage.SignalStorage
import io.opentelemetry.sdk.common.CompletableResultCode
import io.opentelemetry.sdk.logs.data.LogRecordData
import io.opentelemetry.sdk.logs.export.LogRecordExporter

class LogRecordToDiskExporter private constructor(private val storage: SignalStorage.LogRecord) : LogRecordExporter {
    override fun export(logs: Collection<LogRecordData>): CompletableResultCode = storage.write(logs)

    companion object {
        @JvmStatic fun builder(storage: SignalStorage.LogRecord) = LogRecordToDiskExporterBuilder(storage)
    }

    class LogRecordToDiskExporterBuilder(private val storage: SignalStorage.LogRecord) {
        fun build() = LogRecordToDiskExporter(storage)
    }
}
