import type { StepRequest, StepRoute } from '../payment-routes';

/** Who visits the portal. */
export interface Visit {
  readonly customerId: string;
  /** Undefined: the portal leads back nowhere. */
  readonly returnUrl: string | undefined;
  /** Of the gateway as customers reach it. */
  readonly siteUrl: string;
  readonly formToken: string;
  /** Whether nothing on the pages is real. */
  readonly isTest: boolean;
}

/** A request for a page of the portal, once it is known who visits. */
export interface PortalRequest extends StepRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly visit: Visit;
}

/** What is done at one address of the portal. */
export type PortalRoute = StepRoute<PortalRequest>;
