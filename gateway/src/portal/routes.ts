import { detailsRoutes } from './details-routes';
import { invoiceRoutes } from './invoice-routes';
import { overviewRoutes } from './overview-routes';
import { paymentMethodRoutes } from './payment-method-routes';
import { planRoutes } from './plan-routes';
import type { PortalRoute } from './route';
import { subscriptionRoutes } from './subscription-routes';
import { usageRoutes } from './usage-routes';

/** Routes of the portal that require a session. */
export const portalRoutes: readonly PortalRoute[] = [
  ...overviewRoutes,
  ...usageRoutes,
  ...invoiceRoutes,
  ...paymentMethodRoutes,
  ...subscriptionRoutes,
  ...planRoutes,
  ...detailsRoutes,
];
