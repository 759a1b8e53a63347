import type { CallContext } from '@billing/chassis/call-context';
import type { Call } from '../exchange';
import type { ApiAnswer } from '../route';
import type { OperatorAtWork } from './operator-access';
import type { OperatorSurroundings } from './operator-route';

/** A request for a page by which operators come in. */
export interface DoorRequest {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** As it was typed; empty but for POST. */
  readonly form: ReadonlyMap<string, string>;
  readonly call: Call;
  /** What counts as one address; see networkOf. */
  readonly network: string;
}

/** Whoever is signed in, and the environment that they look at. */
export interface DashboardVisit extends OperatorAtWork {
  readonly formToken: string;
  /** Whether their role may make and revoke keys there. */
  readonly mayChangeKeys: boolean;
}

/** A request for a page of the dashboard. */
export interface DashboardRequest extends DoorRequest {
  readonly visit: DashboardVisit;
  readonly context: CallContext;
}

interface RouteAddress {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** What is done at an address by which operators come in. */
export interface DoorRoute extends RouteAddress {
  readonly isDoor: true;
  readonly handle: (request: DoorRequest, site: OperatorSurroundings) => Promise<ApiAnswer>;
}

/** What is done at one address of the dashboard. */
export interface RoomRoute extends RouteAddress {
  readonly isDoor?: false;
  readonly handle: (request: DashboardRequest, site: OperatorSurroundings) => Promise<ApiAnswer>;
}

export type DashboardRoute = DoorRoute | RoomRoute;
