/**
 * Maximum size of one gRPC message in either direction. The largest in use are ingest batches of 1
 * MiB.
 */
export const messageBytesMax = 4 * 1024 * 1024;
