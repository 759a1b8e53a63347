import { ok } from '../http/answer';
import { param } from '../api/input/request';
import type { EnvironmentRoute } from './route/route';

/** Bodies of webhooks, which the deliveries of the public API do not include. */
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
