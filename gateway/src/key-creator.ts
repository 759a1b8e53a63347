import type { KeyCreator } from '@billing/proto/billing/identity/v1/identity';
import { keyCreatorKinds } from '@billing/proto/values/identity';
import type { ApiRequest } from './route';

/** Caller of a request as the creator of keys. */
export function creatorOf({ caller: { type, id } }: Pick<ApiRequest, 'caller'>): KeyCreator {
  return { kind: keyCreatorKinds.valueOf(type), id };
}
