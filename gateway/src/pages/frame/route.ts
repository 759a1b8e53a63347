import type { CallContext } from '@billing/chassis/call-context';
import type { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import type { Peers } from '../../peer/peers';
import type { ApiAnswer } from '../../http/answer';

/** Request of a step. */
export interface StepRequest {
  /** Path of the page, target of its forms and links. */
  readonly path: string;
  /** Parameters of the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Submitted fields; empty for a GET. */
  readonly form: ReadonlyMap<string, string>;
  readonly context: CallContext;
  /** Network of the client, by which declined payments are counted. */
  readonly network: string;
}

/** Handler of a step of a payment. */
export interface StepRoute<R> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly deadlineMs?: number;
  readonly handle: (request: R, peers: Peers) => Promise<ApiAnswer>;
}

/** A request for a public page with its resolved environment. */
export interface PageRequest extends StepRequest {
  /** Id of the session, link or invoice. */
  readonly resourceId: string;
  /** True in a sandbox. */
  readonly isTest: boolean;
  /** Locale of a page about whose reader nothing else is known. */
  readonly readerLocale: () => Promise<string>;
  /** Value of the header `Cookie`. */
  readonly cookies: string | undefined;
}

/** Route of a public page. */
export interface PageRoute extends StepRoute<PageRequest> {
  readonly kind: HostedPageKind;
}
