import type { CallContext } from '@billing/chassis/call-context';
import type { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import type { Peers } from '../peers';
import type { ApiAnswer } from '../route';

/** A request for a public page, once it is known whose it is. */
export interface PageRequest {
  /** Of the session, link or invoice that the page is of. */
  readonly resourceId: string;
  /** The page's own path, with its token: where its forms and ways back lead. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** What was typed; nothing where nothing was sent. */
  readonly form: ReadonlyMap<string, string>;
  readonly context: CallContext;
  /** Whether nothing on the page is real. */
  readonly isTest: boolean;
}

/** What is done at one address of a public page. */
export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** Begins with the page's kind and `:token`. */
  readonly path: string;
  readonly kind: HostedPageKind;
  readonly deadlineMs?: number;
  readonly handle: (request: PageRequest, peers: Peers) => Promise<ApiAnswer>;
}
