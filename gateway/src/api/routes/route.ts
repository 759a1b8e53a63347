import type { Logger } from '@billing/chassis/logging';
import type { Operation } from './operation';
import type { Peers } from '../../peer/peers';
import type { ApiAnswer } from '../../http/answer';
import type { ApiRequest } from '../input/request';

/** Reasons for which requests of a route may last long. */
export type Waits = 'CLOCK' | 'EVENTS' | 'EXPORT';

/** Tools of a route in addition to the services. */
export interface RouteTools {
  readonly logger: Logger;
}

/** An operation of the API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below /v1, with `:name` for parameters. */
  readonly path: string;
  /** Deadline of the request. */
  readonly deadlineMs?: number;
  /** True if the route returns 500 in place of 503 and 504. */
  readonly hidesUnavailability?: boolean;
  /** True if the route receives the raw bytes of the body, which the owning service parses. */
  readonly readsBytes?: boolean;
  /** True for batches of usage events, which have a separate rate limit. */
  readonly isIngest?: boolean;
  /** True for a POST without side effects, for which a read scope suffices. */
  readonly readsOnly?: boolean;
  /**
   * Reason why requests of the route may last long: they wait for the clock, or for events if they
   * ask to, or export. Such requests have limits of their own.
   */
  readonly waits?: Waits;
  /** True if the route deletes the environment `:id`, whose keys end with the response. */
  readonly endsKeys?: boolean;
  /** Description in the API document. */
  readonly operation: Operation;
  readonly handle: Handle;
  /**
   * Reads the resource of a PATCH or DELETE before the write, for the audit log, where no GET
   * returns it alone. One call.
   */
  readonly readFormer?: Handle;
}

/** Answers a request of a route. */
export type Handle = (request: ApiRequest, peers: Peers, tools: RouteTools) => Promise<ApiAnswer>;
