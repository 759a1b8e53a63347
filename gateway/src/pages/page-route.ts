import type { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import type { StepRequest, StepRoute } from './payment-routes';

/** A request for a public page, once it is known whose it is. */
export interface PageRequest extends StepRequest {
  /** Of the session, link or invoice that the page is of. */
  readonly resourceId: string;
  /** Whether nothing on the page is real. */
  readonly isTest: boolean;
  /** The header `Cookie`. */
  readonly cookies: string | undefined;
}

/** What is done at one address of a public page. */
export interface PageRoute extends StepRoute<PageRequest> {
  readonly kind: HostedPageKind;
}
