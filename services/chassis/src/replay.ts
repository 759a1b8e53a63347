import { Metadata } from '@grpc/grpc-js';

const replayedKey = 'idempotent-replayed';

/** What a server sends ahead of an answer that it gives again. */
export function replayedMetadata(): Metadata {
  const metadata = new Metadata();
  metadata.set(replayedKey, 'true');
  return metadata;
}

/** Whether the answer that follows is a repeated one. */
export function isReplayed(metadata: Metadata): boolean {
  return metadata.get(replayedKey)[0] === 'true';
}
