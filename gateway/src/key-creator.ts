import type { KeyCreator } from '@billing/proto/billing/identity/v1/identity';
import { keyCreatorKinds } from '@billing/proto/values/identity';
import type { ApiRequest } from './route';

/** The caller of a request as the creator of the keys that it makes. */
export function creatorOf({ caller: { type, id } }: Pick<ApiRequest, 'caller'>): KeyCreator {
  return { kind: keyCreatorKinds.valueOf(type), id };
}
