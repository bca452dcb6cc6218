package io.opentelemetry.contrib.disk.buffering.storage.impl

import io.opentelemetry.contrib.disk.buffering.storage.SignalStorage
import io.opentelemetry.sdk.common.CompletableResultCode
import io.opentelemetry.sdk.logs.data.LogRecordData
import java.io.File

/** In memory: what matters here is who removes a batch, and when. */
class FileLogRecordStorage private constructor() : SignalStorage.LogRecord {
    private val batches = mutableListOf<MutableCollection<LogRecordData>>()

    override fun write(items: Collection<LogRecordData>): CompletableResultCode {
        batches += items.toMutableList()
        return CompletableResultCode.ofSuccess()
    }

    override fun iterator() = batches.iterator()

    override fun close() {}

    companion object {
        @JvmStatic fun create(destinationDir: File, configuration: FileStorageConfiguration) = FileLogRecordStorage()
    }
}

class FileStorageConfiguration {
    companion object {
        @JvmStatic fun builder() = Builder()
    }

    class Builder {
        fun setMaxFolderSize(value: Int) = this
        fun setMaxFileAgeForReadMillis(value: Long) = this
        fun setDeleteItemsOnIteration(value: Boolean) = this
        fun build() = FileStorageConfiguration()
    }
}
