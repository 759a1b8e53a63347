import { z } from 'zod';
import type { EndpointReport } from '@billing/proto/billing/notifier/v1/report';
import { readQuery, wholeNumber } from '../input';
import { ok } from '../route';
import type { EnvironmentRoute } from './operator-route';

const DaysOfWebhooks = z.object({ days: wholeNumber(1, 30).default(30) });

/** What the dashboard shows of an environment beside what the public API tells. */
export const reportRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/reports/webhooks',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const { days } = readQuery(DaysOfWebhooks, { query });
      const { endpoints } = await peers.webhookReport.getDeliveryReport({ days }, context);
      return ok({ data: endpoints.map(toJsonEndpointReport) });
    },
  },
];

function toJsonEndpointReport({ endpointId, days }: EndpointReport) {
  return {
    endpointId,
    days: days.map(({ day, delivered, failed }) => ({
      day,
      delivered: Number(delivered),
      failed: Number(failed),
    })),
  };
}
