import { z } from 'zod';
import { systemClock } from '@billing/chassis/clock';
import { apiKeyProblems, scopesMax } from '@billing/kernel/input/api-key';
import type { KeyCreator } from '@billing/proto/billing/identity/v1/identity';
import { ApiKeyJson, toJsonApiKey } from '@billing/proto/json/api-key';
import { keyCreatorKinds } from '@billing/proto/values/identity';
import { keyScopes } from '@billing/proto/values/path-segments';
import { flag, optional, listShape, readBody, readQuery, time } from '../input/input';
import { firstOnly, listQuery, page } from '../input/list';
import { NewApiKey } from '../schemas/api-key';
import { listOf } from '../schemas/list';
import { created, ok, present, secretOrNull } from '../../http/answer';
import { type ApiRequest, param } from '../input/request';
import type { Handle, Route } from './route';

const CreateApiKey = z
  .object({
    name: z.string(),
    // An empty list looks like no permission but would grant every scope, so callers must omit it.
    scopes: optional(z.array(z.string()).min(1, 'Must not be empty').max(scopesMax)),
    expiresAt: optional(time),
  })
  .meta({ id: 'CreateApiKey', examples: [{ name: 'Reports', scopes: ['invoices:read'] }] });

const ListApiKeys = z.object(listShape);

const RevokeApiKey = z.object({
  descendants: flag.optional().meta({
    description: 'Also revokes all keys created with this key, directly or through other keys.',
  }),
});

const readApiKey: Handle = async (request, peers) => {
  const wanted = { ...firstOnly, id: param(request, 'id') };
  const { apiKeys } = await peers.identity.listApiKeys(wanted, request.context);
  return ok(apiKeys.map(toJsonApiKey)[0]);
};

export const apiKeyRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api-keys',
    operation: {
      id: 'createApiKey',
      summary: 'Create an API key',
      description:
        "The new key's scopes must be a subset of the calling key's. The new key expires no later than the calling key; by default, at the same time.",
      body: CreateApiKey,
      answer: { status: 201, schema: NewApiKey },
    },
    handle: async (request, peers) => {
      const input = readBody(CreateApiKey, request, (fields) =>
        apiKeyProblems(fields, { knownScopes: keyScopes, now: systemClock.now() }),
      );
      const { apiKey, key } = await peers.identity.createApiKey(
        { ...input, scopes: input.scopes ?? [], createdBy: creatorOf(request) },
        request.context,
      );
      const kept = toJsonApiKey(present(apiKey));
      const body = { ...kept, key: secretOrNull(key) };
      return created(`/api-keys/${kept.id}`, body);
    },
  },
  {
    method: 'GET',
    path: '/api-keys',
    operation: {
      id: 'listApiKeys',
      summary: 'List API keys, newest first',
      query: ListApiKeys,
      answer: { status: 200, schema: listOf(ApiKeyJson, 'ApiKeyList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListApiKeys, request);
      const { apiKeys, total } = await peers.identity.listApiKeys(
        listQuery(query),
        request.context,
      );
      return page(apiKeys, { ...query, total }, toJsonApiKey);
    },
  },
  {
    method: 'DELETE',
    path: '/api-keys/:id',
    operation: {
      id: 'revokeApiKey',
      summary: 'Revoke an API key',
      description: 'Takes effect within five seconds. Revoked keys remain in the list.',
      query: RevokeApiKey,
      answer: { status: 204 },
      errors: ['api_key_not_found'],
    },
    handle: async (request, peers) => {
      const { descendants = false } = readQuery(RevokeApiKey, request);
      const id = param(request, 'id');
      await peers.identity.revokeApiKey({ id, descendants }, request.context);
      return { status: 204 };
    },
    readFormer: readApiKey,
  },
];

/** Caller of a request as the creator of keys. */
export function creatorOf({ caller: { type, id } }: Pick<ApiRequest, 'caller'>): KeyCreator {
  return { kind: keyCreatorKinds.valueOf(type), id };
}
