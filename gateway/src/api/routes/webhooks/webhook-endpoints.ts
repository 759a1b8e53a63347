import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import {
  type WebhookEndpointFields,
  webhookEndpointProblems,
  webhookEventNames,
} from '@billing/kernel/input/webhook-endpoint';
import { publicHosts } from '@billing/kernel/public-host';
import type { WebhookEndpoint as ProtoWebhookEndpoint } from '@billing/proto/billing/notifier/v1/notifier';
import {
  WebhookEndpointJson,
  toJsonWebhookEndpoint,
} from '@billing/proto/json/webhook/webhook-endpoint';
import { NewWebhookEndpoint } from '../../schemas/webhook-endpoint';
import { listOf } from '../../schemas/list';
import { optional, listShape, readBody, readQuery } from '../../input/input';
import { listQuery, page } from '../../input/list';
import type { Sound } from '../../input/field-rules';
import { changeable, frozen, readPatch, required } from '../../input/patch';
import { created, etag, ok, present, secretOrNull } from '../../../http/answer';
import { type ApiRequest, param } from '../../input/request';
import type { Peers } from '../../../peer/peers';
import type { Route } from '../route';

const { isAllowedHost } = publicHosts(ipaddr);

const url = z
  .string()
  .meta({ description: 'An http or https URL with a public host.', format: 'uri' });
const events = z
  .array(z.string())
  .min(1)
  .max(100)
  .meta({
    description: `The events to receive: ${webhookEventNames.map((name) => `\`${name}\``).join(', ')}. \`*\` and \`<resource>.*\` include event types of later releases. Defaults to the six types of subscriptions.`,
    examples: [['subscription.*', 'checkout.completed']],
  });
const description = z.string().max(200);
const headerPrefix = z.string().meta({
  description:
    'Prefix of the headers `<prefix>-Event` and `<prefix>-Signature`. Must not be `Webhook` in any case. Defaults to `Billing`.',
  pattern: '^[A-Za-z][A-Za-z0-9-]{0,30}$',
});

const CreateWebhookEndpoint = z
  .object({
    url,
    events: optional(events),
    description: optional(description),
    active: optional(z.boolean()),
    headerPrefix: optional(headerPrefix),
  })
  .meta({
    id: 'CreateWebhookEndpoint',
    examples: [{ url: 'https://example.com/webhooks', events: ['subscription.created'] }],
  });

const UpdateWebhookEndpoint = z
  .object({
    url: required(url),
    events: required(events),
    description: changeable(description),
    active: required(z.boolean()),
    headerPrefix: required(headerPrefix),
    secret: frozen,
    id: frozen,
    organizationId: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({ id: 'UpdateWebhookEndpoint', examples: [{ active: true, description: null }] });

const ListWebhookEndpoints = z.object(listShape);

export const webhookEndpointRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/webhook-endpoints',
    operation: {
      id: 'createWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description: 'An environment can have at most ten endpoints.',
      body: CreateWebhookEndpoint,
      answer: { status: 201, schema: NewWebhookEndpoint, isVersioned: true },
      errors: ['conflict'],
    },
    handle: async (request, peers) => {
      const rules = await rulesFor(request, peers);
      const input = readBody(CreateWebhookEndpoint, request, rules);
      const { webhookEndpoint, secret } = await peers.notifier.createWebhookEndpoint(
        { ...input, events: input.events ?? [] },
        request.context,
      );
      const endpoint = present(webhookEndpoint);
      const body = toJsonNewWebhookEndpoint(endpoint, secret);
      return created(`/webhook-endpoints/${endpoint.id}`, body, etag(endpoint.version));
    },
  },
  {
    method: 'GET',
    path: '/webhook-endpoints',
    operation: {
      id: 'listWebhookEndpoints',
      summary: 'List webhook endpoints, newest first',
      query: ListWebhookEndpoints,
      answer: { status: 200, schema: listOf(WebhookEndpointJson, 'WebhookEndpointList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListWebhookEndpoints, request);
      const { webhookEndpoints, total } = await peers.notifier.listWebhookEndpoints(
        listQuery(query),
        request.context,
      );
      return page(webhookEndpoints, { ...query, total }, toJsonWebhookEndpoint);
    },
  },
  {
    method: 'GET',
    path: '/webhook-endpoints/:id',
    operation: {
      id: 'getWebhookEndpoint',
      summary: 'Get a webhook endpoint',
      answer: { status: 200, schema: WebhookEndpointJson, isVersioned: true },
      errors: ['webhook_endpoint_not_found'],
    },
    handle: async (request, peers) => {
      const answer = await peers.notifier.getWebhookEndpoint(
        { id: param(request, 'id') },
        request.context,
      );
      const endpoint = present(answer.webhookEndpoint);
      return ok(toJsonWebhookEndpoint(endpoint), etag(endpoint.version));
    },
  },
  {
    method: 'PATCH',
    path: '/webhook-endpoints/:id',
    operation: {
      id: 'updateWebhookEndpoint',
      summary: 'Update a webhook endpoint',
      body: UpdateWebhookEndpoint,
      answer: { status: 200, schema: WebhookEndpointJson, isVersioned: true },
      errors: ['webhook_endpoint_not_found'],
    },
    handle: async (request, peers) => {
      const rules = await rulesFor(request, peers);
      const { input, updateMask } = readPatch(UpdateWebhookEndpoint, request, rules);
      const { url, events = [], description, active, headerPrefix } = input;
      const { webhookEndpoint } = await peers.notifier.updateWebhookEndpoint(
        {
          id: param(request, 'id'),
          url,
          events,
          description,
          active,
          headerPrefix,
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const changed = present(webhookEndpoint);
      return ok(toJsonWebhookEndpoint(changed), etag(changed.version));
    },
  },
  {
    method: 'POST',
    path: '/webhook-endpoints/:id/rotate-secret',
    operation: {
      id: 'rotateWebhookSecret',
      summary: 'Rotate the secret of a webhook endpoint',
      description:
        'The old secret keeps signing for 24 hours of real time. Until then, every webhook carries a signature of each secret, newest first. Further rotations do not shorten the 24 hours of earlier secrets. Returns 409 if ten secrets would sign.',
      answer: { status: 200, schema: NewWebhookEndpoint, isVersioned: true },
      errors: ['webhook_endpoint_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { webhookEndpoint, secret } = await peers.notifier.rotateWebhookSecret(
        { id: param(request, 'id'), expectedVersion: request.expectedVersion },
        request.context,
      );
      const endpoint = present(webhookEndpoint);
      return ok(toJsonNewWebhookEndpoint(endpoint, secret), etag(endpoint.version));
    },
  },
  {
    method: 'DELETE',
    path: '/webhook-endpoints/:id',
    operation: {
      id: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      answer: { status: 204 },
      errors: ['webhook_endpoint_not_found'],
    },
    handle: async (request, peers) => {
      const { context } = request;
      await peers.notifier.deleteWebhookEndpoint({ id: param(request, 'id') }, context);
      return { status: 204 };
    },
  },
];

/** Rules of an endpoint's fields, which name all problems of a body together. */
async function rulesFor({ body, context }: ApiRequest, peers: Peers) {
  const policy = {
    allowLoopback: !context.tenant.live && (await mayBeLoopback(body, context, peers)),
  };
  return (fields: Sound<WebhookEndpointFields>) =>
    webhookEndpointProblems(fields, (hostname) => isAllowedHost(hostname, policy));
}

/** A setting of the notifier decides about loopback addresses of sandboxes. */
async function mayBeLoopback(
  body: unknown,
  context: CallContext,
  { notifier }: Peers,
): Promise<boolean> {
  const { url: sent } = (body ?? {}) as { readonly url?: unknown };
  if (typeof sent !== 'string' || !isLoopback(sent)) return true;
  try {
    return (await notifier.getWebhookAddressRules({}, context)).allowLoopback;
  } catch {
    // The notifier refuses the address itself.
    return true;
  }
}

function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  const isAllowed = (allowLoopback: boolean) => isAllowedHost(hostname, { allowLoopback });
  return isAllowed(true) && !isAllowed(false);
}

function toJsonNewWebhookEndpoint(endpoint: ProtoWebhookEndpoint, secret: string) {
  return { ...toJsonWebhookEndpoint(endpoint), secret: secretOrNull(secret) };
}
