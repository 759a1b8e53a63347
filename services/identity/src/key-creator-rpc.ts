import { invalidInput } from '@billing/kernel/domain-error';
import type { KeyCreator as ProtoKeyCreator } from '@billing/proto/billing/identity/v1/identity';
import { keyCreatorKinds } from '@billing/proto/values/identity';
import type { KeyCreator } from './api-key';

/** Maps a creator; absent means the system. */
export function fromProtoCreator(creator: ProtoKeyCreator | undefined): KeyCreator {
  const type = keyCreatorKinds.sentName(creator?.kind ?? 0);
  if (type === 'UNKNOWN') throw invalidInput({ createdBy: ['Unknown kind'] });
  if (creator === undefined || type === undefined || type === 'SYSTEM') return { type: 'SYSTEM' };
  return { type, id: creator.id };
}

export function toProtoCreator(creator: KeyCreator): ProtoKeyCreator {
  const id = creator.type === 'SYSTEM' ? '' : creator.id;
  return { kind: keyCreatorKinds.valueOf(creator.type), id };
}
