import type { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import type { StepRequest, StepRoute } from './payment-routes';

/** A request for a public page with its resolved environment. */
export interface PageRequest extends StepRequest {
  /** Id of the session, link or invoice. */
  readonly resourceId: string;
  /** True in a sandbox. */
  readonly isTest: boolean;
  /** Value of the header `Cookie`. */
  readonly cookies: string | undefined;
}

/** Route of a public page. */
export interface PageRoute extends StepRoute<PageRequest> {
  readonly kind: HostedPageKind;
}
