import type { Stored } from '@billing/chassis/aggregate';
import { newResourceId, type Tenant } from '@billing/chassis/call-context';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { expectedVersionOf, maskedFields } from '@billing/chassis/request-fields';
import {
  type NotifierServiceServer,
  NotifierServiceService,
  type UpdateWebhookEndpointRequest,
  type WebhookEndpoint as ProtoWebhookEndpoint,
} from '@billing/proto/billing/notifier/v1/notifier';
import { notifierCallers } from './peer/callers';
import { deleteEndpoint, type EndpointDeletion } from './endpoint/delete-endpoint';
import type { WebhookEndpoint, WebhookEndpointChanges } from './endpoint/endpoint';
import type { AddressPolicy } from './endpoint/public-address';

export interface NotifierDependencies extends EndpointDeletion {
  readonly policyOf: (tenant: Tenant) => AddressPolicy;
}

/** Implements the notifier's calls about endpoints. */
export function notifierRpc(dependencies: NotifierDependencies) {
  const { endpoints, policyOf, onChange } = dependencies;
  const handlers: AsyncHandlers<NotifierServiceServer> = {
    createWebhookEndpoint: async (request, context) => {
      const id = newResourceId(context, 'webhookEndpoint');
      const { url, events, description, active, headerPrefix } = request;
      const registration = { url, events, description, active, headerPrefix };
      const stored = await endpoints.add(context, id, registration);
      return { webhookEndpoint: toProtoWebhookEndpoint(stored), secret: stored.state.secret };
    },
    getWebhookEndpoint: async ({ id }, context) => ({
      webhookEndpoint: toProtoWebhookEndpoint(await endpoints.get(context, id)),
    }),
    listWebhookEndpoints: async (request, context) => {
      const { page, perPage, oldestFirst = false } = request;
      const { data, total } = await endpoints.list(context, { page, perPage, oldestFirst });
      return { webhookEndpoints: data.map(toProtoWebhookEndpoint), total };
    },
    updateWebhookEndpoint: async (request, context) => {
      const changes = fromProtoChanges(request);
      const change = { changes, ...expectedVersionOf(request) };
      const stored = await endpoints.change(context, request.id, change);
      onChange({ environmentId: context.tenant.environmentId, endpointId: request.id });
      return { webhookEndpoint: toProtoWebhookEndpoint(stored) };
    },
    rotateWebhookSecret: async (request, context) => {
      const rotationId = newResourceId(context, 'rotation');
      const rotation = { rotationId, ...expectedVersionOf(request) };
      const stored = await endpoints.rotateSecret(context, request.id, rotation);
      onChange({ environmentId: context.tenant.environmentId, endpointId: request.id });
      return { webhookEndpoint: toProtoWebhookEndpoint(stored), secret: stored.state.secret };
    },
    getWebhookAddressRules: (_request, { tenant }) => Promise.resolve(policyOf(tenant)),
    deleteWebhookEndpoint: async ({ id }, context) => {
      await deleteEndpoint(id, context, dependencies);
      return {};
    },
  };
  return rpcService(NotifierServiceService, handlers, {
    secrets: ['secret'],
    callers: notifierCallers,
  });
}

function fromProtoChanges(request: UpdateWebhookEndpointRequest): WebhookEndpointChanges {
  const { url, events, description, active, headerPrefix } = request;
  const fields = {
    url: url ?? null,
    events,
    description: description ?? null,
    active: active ?? null,
    headerPrefix: headerPrefix ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

function toProtoWebhookEndpoint(stored: Stored<WebhookEndpoint>): ProtoWebhookEndpoint {
  const { state, tenant, version, createdAt, updatedAt } = stored;
  const { id, url, events, description, active, headerPrefix } = state;
  return {
    id,
    organizationId: tenant.organizationId,
    url,
    events: [...events],
    description,
    active,
    headerPrefix,
    createdAt,
    updatedAt,
    version: BigInt(version),
  };
}
