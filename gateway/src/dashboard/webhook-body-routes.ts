import { ok, param } from '../route';
import type { EnvironmentRoute } from './operator-route';

/** What webhooks say, for people who look at a delivery; the public API tells of them without. */
export const webhookBodyRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/webhook-endpoints/:id/deliveries/:deliveryId/body',
    isOfEnvironment: true,
    handle: async (request, { peers }) => {
      const wanted = { endpointId: param(request, 'id'), id: param(request, 'deliveryId') };
      const { body } = await peers.webhookDelivery.getWebhookBody(wanted, request.context);
      return ok({ body });
    },
  },
];
