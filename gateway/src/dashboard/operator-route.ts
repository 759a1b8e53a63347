import type { CallContext } from '@billing/chassis/call-context';
import type { Origin } from '@billing/proto/billing/identity/v1/operator';
import type { Call } from '../exchange';
import type { Peers } from '../peers';
import type { RequestLog } from '../request-log';
import type { ApiAnswer } from '../route';
import type { IdentityProvider } from './identity-provider';
import type { OperatorAccess, SignedIn } from './operator-access';

/** A request of somebody who may not be signed in. */
export interface OpenRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly call: Call;
  /** The cookie's session, whether it opens anything or not. */
  readonly session: string | undefined;
  readonly origin: Origin;
}

/** A request of an operator. */
export interface OperatorRequest extends OpenRequest {
  readonly session: string;
  readonly signedIn: SignedIn;
}

/** A request of an operator about the environment that they look at. */
export interface EnvironmentRequest extends OperatorRequest {
  readonly context: CallContext;
}

/** What routes of operators work with. */
export interface OperatorDependencies {
  readonly peers: Peers;
  readonly operatorAccess: OperatorAccess;
  readonly requestLog?: RequestLog | undefined;
  /** Whose word lets operators in, beside their passwords; absent: nobody's. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Where a trace is looked at, with `{traceId}` in it; absent: nowhere. */
  readonly traceUrl?: string | undefined;
}

interface RouteAddress {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /dashboard/api. */
  readonly path: string;
  /** Whether what is done for it is abandoned when its caller goes away. */
  readonly endsWithCaller?: boolean;
}

/** What whoever comes may ask for. */
export interface OpenRoute extends RouteAddress {
  readonly isOpen: true;
  readonly handle: (request: OpenRequest, site: OperatorDependencies) => Promise<ApiAnswer>;
}

/** What needs a session. What changes something is written in the audit log. */
export interface SignedInRoute extends RouteAddress {
  readonly isOpen?: false;
  readonly isOfEnvironment?: false;
  /** How long the caller may have to wait. */
  readonly deadlineMs?: number;
  /** What it changes, as it is before: for the audit log. */
  readonly before?: (request: OperatorRequest, site: OperatorDependencies) => Promise<unknown>;
  readonly handle: (request: OperatorRequest, site: OperatorDependencies) => Promise<ApiAnswer>;
}

/** What is read of one environment, which the header `Environment-Id` names. Whoever is signed in may read. */
export interface EnvironmentRoute extends RouteAddress {
  readonly method: 'GET';
  readonly isOpen?: false;
  readonly isOfEnvironment: true;
  /** How long the caller may have to wait. */
  readonly deadlineMs?: number;
  readonly handle: (request: EnvironmentRequest, site: OperatorDependencies) => Promise<ApiAnswer>;
}

export type OperatorRoute = OpenRoute | SignedInRoute;
