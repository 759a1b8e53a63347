import type { CallContext, Idempotency } from '@billing/chassis/call-context';
import type { DataKeys } from '@billing/chassis/data-keys';
import type { Logger } from '@billing/chassis/logging';
import type { Origin } from '@billing/proto/billing/identity/v1/operator';
import type { Call } from '../../http/exchange';
import type { PageDependencies } from '../../http/page-mount';
import type { Peers } from '../../peer/peers';
import type { RateLimit } from '../../http/rate-limit';
import type { RequestLog } from '../../http/request-log';
import type { ApiAnswer } from '../../http/answer';
import type { IdentityProvider } from '../../access/identity-provider';
import type { InvitationLimits } from '../../access/invitation-limits';
import type { PasswordResetLimits } from '../../access/password-reset-limits';
import type { OperatorAccess, SignedIn } from '../../access/operator-access';

/** A request of a visitor who may not be signed in. */
export interface OpenRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly call: Call;
  /** Idempotency key of a POST, if it has one. */
  readonly idempotency?: Idempotency | undefined;
  /** Session token of the cookie, valid or not. */
  readonly session: string | undefined;
  readonly origin: Origin;
}

/** A request of a signed-in operator. */
export interface OperatorRequest extends OpenRequest {
  readonly session: string;
  readonly signedIn: SignedIn;
}

/** A request of an operator for a selected environment. */
export interface EnvironmentRequest extends OperatorRequest {
  readonly context: CallContext;
}

/** Dependencies of the operator routes. */
export interface OperatorDependencies {
  readonly peers: Peers;
  readonly operatorAccess: OperatorAccess;
  readonly logger: Logger;
  readonly passwordResets: PasswordResetLimits;
  readonly invitations: InvitationLimits;
  readonly requestLog?: RequestLog | undefined;
  /** OpenID provider for operator sign-in, in addition to passwords. Optional. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Seals the state of sign-ins at the provider. Optional. */
  readonly dataKeys?: DataKeys | undefined;
  /** URL template of the trace viewer, contains `{traceId}`. Optional. */
  readonly traceUrl?: string | undefined;
}

/** Dependencies of the operator API. */
export interface DashboardSite extends PageDependencies, OperatorDependencies {
  readonly assignsRequestId: true;
  /** Rate limit per client address. Optional. */
  readonly pageRate?: RateLimit | undefined;
}

interface RouteAddress {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below /dashboard/api. */
  readonly path: string;
  /** True if the work is abandoned when the caller disconnects. */
  readonly endsWithCaller?: boolean;
}

/** A route that needs no session. */
interface OpenRoute extends RouteAddress {
  readonly isOpen: true;
  readonly handle: (request: OpenRequest, site: OperatorDependencies) => Promise<ApiAnswer>;
}

/** A route that needs a session. Changes are recorded in the audit log. */
interface SignedInRoute extends RouteAddress {
  readonly isOpen?: false;
  readonly isOfEnvironment?: false;
  /** True for the routes that set up a second factor, which an organization may require. */
  readonly isBeforeSecondFactor?: boolean;
  /** Deadline of the request. */
  readonly deadlineMs?: number;
  /** Loads the previous state, for the audit log. */
  readonly before?: (request: OperatorRequest, site: OperatorDependencies) => Promise<unknown>;
  readonly handle: (request: OperatorRequest, site: OperatorDependencies) => Promise<ApiAnswer>;
}

/**
 * A read of one environment, named by the header `Environment-Id`. Every signed-in operator may
 * read.
 */
export interface EnvironmentRoute extends RouteAddress {
  readonly method: 'GET';
  readonly isOpen?: false;
  readonly isOfEnvironment: true;
  /** Deadline of the request. */
  readonly deadlineMs?: number;
  readonly handle: (request: EnvironmentRequest, site: OperatorDependencies) => Promise<ApiAnswer>;
}

export type OperatorRoute = OpenRoute | SignedInRoute;
