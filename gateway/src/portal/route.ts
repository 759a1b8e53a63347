import type { StepRequest, StepRoute } from '../pages/frame/route';

/** Session of a portal visitor. */
export interface Visit {
  readonly customerId: string;
  /** Locale of the customer, if any. */
  readonly locale?: string | undefined;
  /** URL of the link back from the portal, if any. */
  readonly returnUrl: string | undefined;
  /** Public URL of the gateway. */
  readonly siteUrl: string;
  readonly formToken: string;
  /** True in a sandbox. */
  readonly isTest: boolean;
}

/** An authenticated request for a portal page. */
export interface PortalRequest extends StepRequest {
  readonly visit: Visit;
}

/** Route of the portal. */
export type PortalRoute = StepRoute<PortalRequest>;
