package io.opentelemetry.sdk.logs

import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.api.logs.LogRecordBuilder
import io.opentelemetry.api.logs.Logger
import io.opentelemetry.api.logs.Severity
import io.opentelemetry.sdk.logs.data.LogRecordData
import java.io.Closeable

interface LogRecordProcessor {
    fun onEmit(record: LogRecordData)
}

class SdkLoggerProvider private constructor(private val processors: List<LogRecordProcessor>) : Closeable {
    fun get(scope: String): Logger = object : Logger {
        override fun logRecordBuilder() = Builder(processors)
    }

    override fun close() {}

    companion object {
        @JvmStatic fun builder() = SdkLoggerProviderBuilder()
    }

    class SdkLoggerProviderBuilder {
        private val processors = mutableListOf<LogRecordProcessor>()

        fun addLogRecordProcessor(processor: LogRecordProcessor) = apply { processors += processor }
        fun build() = SdkLoggerProvider(processors)
    }

    private class Builder(private val processors: List<LogRecordProcessor>) : LogRecordBuilder {
        private var line = ""

        override fun setSeverity(severity: Severity): LogRecordBuilder = this
        override fun setEventName(eventName: String): LogRecordBuilder = apply { line = eventName }
        override fun <T> setAttribute(key: AttributeKey<T>, value: T): LogRecordBuilder =
            apply { line += " ${key.key}=$value" }

        override fun emit() = processors.forEach { it.onEmit(LogRecordData(line)) }
    }
}
