package io.opentelemetry.contrib.disk.buffering.storage

import io.opentelemetry.sdk.common.CompletableResultCode
import io.opentelemetry.sdk.logs.data.LogRecordData
import java.io.Closeable

interface SignalStorage<T> : MutableIterable<MutableCollection<T>>, Closeable {
    fun write(items: Collection<T>): CompletableResultCode

    interface LogRecord : SignalStorage<LogRecordData>
}
