import { z } from 'zod';
import { toJsonApiKey } from '@billing/proto/json/api-key';
import { optional, pageShape, readBody, readQuery, time } from '../input';
import { page, pageQuery } from '../list';
import { created, param, present, type Route, secretOrNull } from '../route';

const CreateApiKey = z.object({
  name: z.string(),
  // An empty list reads like no permission, but would be every one: whoever wants all leaves it out.
  scopes: optional(z.array(z.string()).min(1, 'Must not be empty')),
  expiresAt: optional(time),
});

const ListApiKeys = z.object(pageShape);

export const apiKeyRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api-keys',
    handle: async (request, peers) => {
      const { input, ignoredHeaders } = readBody(CreateApiKey, request);
      const { apiKey, key } = await peers.identity.createApiKey(
        { ...input, scopes: input.scopes ?? [] },
        request.context,
      );
      const kept = toJsonApiKey(present(apiKey));
      const body = { ...kept, key: secretOrNull(key) };
      return created(`/api-keys/${kept.id}`, body, ignoredHeaders);
    },
  },
  {
    method: 'GET',
    path: '/api-keys',
    handle: async (request, peers) => {
      const query = readQuery(ListApiKeys, request);
      const { apiKeys, total } = await peers.identity.listApiKeys(
        pageQuery(query),
        request.context,
      );
      return page(apiKeys, { ...query, total }, toJsonApiKey);
    },
  },
  {
    method: 'DELETE',
    path: '/api-keys/:id',
    handle: async (request, peers) => {
      await peers.identity.revokeApiKey({ id: param(request, 'id') }, request.context);
      return { status: 204 };
    },
  },
];
