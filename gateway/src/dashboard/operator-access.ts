import type { Request } from 'express';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { isId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import type { Environment } from '@billing/proto/billing/identity/v1/identity';
import type {
  AuthenticateOperatorResponse,
  Operator,
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { isRead, tenantOf } from '../authentication';
import type { Call } from '../exchange';
import { RequestError, toHttpError } from '../http-error';
import { originOf, requireOwnOrigin } from '../pages/same-site';
import type { Peers } from '../peers';
import { type ApiAnswer, present } from '../route';
import { readOperatorSession } from './operator-cookie';
import { scopesOfRole } from './operator-permission';

/** Whoever is signed in, and by which session. */
export interface SignedIn {
  readonly session: string;
  readonly operator: Operator;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly liveEnvironmentId: string;
}

/** An operator at work in an environment. */
export interface OperatorAtWork {
  readonly signedIn: SignedIn;
  readonly tenant: Tenant;
  /** What their role may do there; empty means all. */
  readonly scopes: readonly string[];
}

/** What operators' access is made of. */
export interface OperatorAccessParts {
  readonly operators: Pick<
    Peers['operator'],
    'authenticateOperator' | 'listEnvironments' | 'beginAuditEntry' | 'endAuditEntry'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where browsers reach the gateway. */
  readonly siteUrl: string;
  /** The first segments of all routes, which scopes are named after. */
  readonly segments: readonly string[];
}

/** What somebody is about to change, for the audit log. */
export interface AuditedAction {
  /** Method and route, its parameters unfilled. */
  readonly action: string;
  readonly path: string;
  readonly environmentId?: string | undefined;
}

/** The header by which an operator says where they work. */
export const environmentHeader = 'Environment-Id';

// Whoever asked waits for it; they would rather have their answer than a complete log.
const endTimeoutMs = 2_000;

/** Who operators are, where they may work, and the log of what they change. Nothing is remembered: a role that is taken away is gone. */
export class OperatorAccess {
  constructor(private readonly parts: OperatorAccessParts) {}

  get siteUrl(): string {
    return this.parts.siteUrl;
  }

  /** The first segments of all routes, which scopes are named after. */
  get segments(): readonly string[] {
    return this.parts.segments;
  }

  /** The session that a request proves by its cookie; undefined: none. */
  sessionOf(request: Request): string | undefined {
    return readOperatorSession(request.header('cookie'), this.siteUrl);
  }

  /** Throws unauthenticated for a session that opens nothing. */
  async signedIn(session: string, call: Call): Promise<SignedIn> {
    return toSignedIn(session, await this.ask(session, undefined, call));
  }

  /** Whose session it is, at work in one of their organisation's environments. Throws not_found for any other. */
  async atWork(session: string, environmentId: string, call: Call): Promise<OperatorAtWork> {
    const answer = await this.ask(session, environmentId, call);
    const tenant = tenantOf(present(answer.environment));
    const signedIn = toSignedIn(session, answer);
    const { segments } = this.parts;
    const role = operatorRoles.nameOf(signedIn.operator.role);
    return { signedIn, tenant, scopes: scopesOfRole(role, { isLive: tenant.live, segments }) };
  }

  /** Where an operator may work: live first, then the newest. */
  async environments(session: string, call: Call): Promise<readonly Environment[]> {
    const request = { sessionToken: session };
    return (await this.parts.operators.listEnvironments(request, call as CallContext)).environments;
  }

  /** The operator who calls the public API; undefined where no cookie says that it is one. Reads too must come from our own pages. */
  async callerOf(request: Request, call: Call): Promise<OperatorAtWork | undefined> {
    const session = this.sessionOf(request);
    if (session === undefined) return undefined;
    const referrer = isRead(request.method) ? request.header('referer') : undefined;
    requireOwnOrigin(originOf(request), { referrer });
    return this.atWorkWhere(session, request, call);
  }

  /** Whose session it is, at work in the environment that the request names by its header. */
  async atWorkWhere(session: string, request: Request, call: Call): Promise<OperatorAtWork> {
    const environmentId = request.header(environmentHeader);
    if (environmentId !== undefined && isId(environmentId)) {
      return this.atWork(session, environmentId, call);
    }
    await this.signedIn(session, call);
    const message = environmentId === undefined ? 'Required' : 'Invalid UUID';
    throw invalidInput({ [environmentHeader]: [message] });
  }

  /** Does what changes something between two lines of the audit log; without the first one it is not done. */
  async audited(
    { session, ...whose }: SignedIn,
    action: AuditedAction,
    { call, work }: { readonly call: Call; readonly work: () => Promise<ApiAnswer> },
  ): Promise<ApiAnswer> {
    const id = await this.begin(session, action, call);
    const end = (status: number) => this.end(id, { status, call, whose });
    try {
      const answer = await work();
      await end(answer.status);
      return answer;
    } catch (error) {
      await end(toHttpError(error).status);
      throw error;
    }
  }

  private ask(session: string, environmentId: string | undefined, call: Call) {
    return this.parts.operators.authenticateOperator(
      { sessionToken: session, environmentId },
      call as CallContext,
    );
  }

  private async begin(sessionToken: string, entry: AuditedAction, call: Call): Promise<string> {
    const { action, path, environmentId } = entry;
    const { requestId } = call;
    try {
      const begun = await this.parts.operators.beginAuditEntry(
        { sessionToken, action, path, environmentId, requestId },
        call as CallContext,
      );
      return begun.id;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'unauthenticated') throw error;
      this.parts.logger.warn({ err: error }, 'audit entry not begun');
      throw new RequestError(503, 'unavailable', 'Service unavailable', { 'Retry-After': '1' });
    }
  }

  private async end(
    id: string,
    {
      status,
      call,
      whose,
    }: {
      status: number;
      call: Call;
      whose: Pick<SignedIn, 'organizationId' | 'liveEnvironmentId'>;
    },
  ): Promise<void> {
    const { clock, logger, operators } = this.parts;
    const now = clock.now();
    const { organizationId, liveEnvironmentId: environmentId } = whose;
    const context: CallContext = {
      ...call,
      now,
      tenant: { organizationId, environmentId, live: true, manualClock: false },
      // Whoever asked may be gone, and their time over.
      deadline: new Date(now.getTime() + endTimeoutMs),
      signal: AbortSignal.timeout(endTimeoutMs),
    };
    try {
      await operators.endAuditEntry({ id, status }, context);
    } catch (error) {
      logger.warn({ err: error }, 'audit entry not ended');
    }
  }
}

function toSignedIn(session: string, answer: AuthenticateOperatorResponse): SignedIn {
  const { organizationId, organizationName, liveEnvironmentId } = answer;
  const operator = present(answer.operator);
  return { session, operator, organizationId, organizationName, liveEnvironmentId };
}
