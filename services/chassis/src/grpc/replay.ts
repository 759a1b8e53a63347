import { Metadata } from '@grpc/grpc-js';

const replayedKey = 'idempotent-replayed';

/** Metadata that a server sends before an idempotent replay. */
export function replayedMetadata(): Metadata {
  const metadata = new Metadata();
  metadata.set(replayedKey, 'true');
  return metadata;
}

/** True if the answer that follows is an idempotent replay. */
export function isReplayed(metadata: Metadata): boolean {
  return metadata.get(replayedKey)[0] === 'true';
}
