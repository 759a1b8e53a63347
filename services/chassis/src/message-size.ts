/** The most bytes of one gRPC message, either way. Ours stay far below; ingest batches of 1 MiB are the largest. */
export const messageBytesMax = 4 * 1024 * 1024;
