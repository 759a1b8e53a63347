import { pageAnswer } from '../pages/frame/shell';
import type { PortalRoute } from './route';
import { usagePage } from './usage-page';

export const usageRoutes: readonly PortalRoute[] = [
  {
    method: 'GET',
    path: '/portal/usage',
    handle: async ({ visit, context }, { metering }) => {
      const { customerId } = visit;
      const { states } = await metering.getUsageState({ customerId }, context);
      return pageAnswer(usagePage(visit, states));
    },
  },
];
