import type { Stored } from '@billing/chassis/aggregate';
import type { DomainEvent } from '@billing/kernel/transition';
import { ApiKeyEvent } from '@billing/proto/billing/event/v1/identity_event';
import type { ApiKey, ApiKeyRevoked } from './api-key';

/** Encodes an event of a key as the JSON form of its message. */
export function encodeApiKeyEvent(event: DomainEvent, { tenant }: Stored<ApiKey>): unknown {
  const { apiKeyId } = (event as ApiKeyRevoked).data;
  return ApiKeyEvent.toJSON({ apiKeyId, environmentId: tenant.environmentId });
}
