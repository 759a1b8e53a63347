import type { Request, RequestHandler, Response } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import type { Admission, Admitted } from '../access/admission';
import type { ApiAnswer } from '../http/answer';
import type { AuditDetail } from '../access/audit-detail';
import { originOfRequest } from '../http/client-address';
import type { OperatorAccess } from '../access/operator-access';
import type { ExchangeDependencies, ExchangeOptions } from '../http/exchange';
import type { InFlightLimit } from '@billing/chassis/in-flight-limit';
import type { TakePlace } from '../http/in-flight-limit';
import { isRead } from '../http/method';
import { respond } from '../http/respond';
import { type AuditedCall, auditedWrite } from './write-audit';

/** Dependencies of authenticated requests. */
export interface AuthenticatedDependencies extends ExchangeDependencies {
  readonly admission: Admission;
  readonly operatorAccess: OperatorAccess;
  /** Concurrency limits of requests with a key. */
  readonly keyedInFlight: InFlightLimit;
  readonly inFlightPerKey: InFlightLimit;
  readonly inFlightPerOrganization: InFlightLimit;
  /** Concurrency limits of calls that wait for a clock advance: per process and per environment. */
  readonly waiting: InFlightLimit;
  readonly waitingPerEnvironment: InFlightLimit;
}

/** A handler of authenticated requests. */
export function authenticated(
  dependencies: AuthenticatedDependencies,
  { waits = false, ...options }: ExchangeOptions & { readonly waits?: boolean | undefined },
  work: (
    call: CallContext,
    request: Request,
    response: Response,
    audited: AuditedCall,
  ) => Promise<ApiAnswer>,
): RequestHandler {
  const { keyedInFlight } = dependencies;
  const takePlace: TakePlace = (run) => keyedInFlight.run(run);
  const made = { ...options, inFlight: waits ? undefined : takePlace };
  return respond(dependencies, made, async (call, request, response, recordCaller) => {
    const { isIngest } = options;
    const admit = () =>
      dependencies.admission.admit(request, response, call, { isIngest, recordCaller });
    const admitted = await (waits ? keyedInFlight.run(admit) : admit());
    const { tenant, scopes, callerId, signedIn } = admitted;
    const caller = { type: signedIn === undefined ? 'KEY' : 'OPERATOR', id: callerId } as const;
    let detail: AuditDetail | undefined;
    const describe = (described: AuditDetail) => {
      detail = described;
    };
    const audited = { caller, describe };
    const run = () =>
      work({ ...call, tenant, scopes }, request, response, audited).catch((error: unknown) => {
        throw dependencies.admission.refusalOf(error, admitted);
      });
    const inPlace = placeOf(admitted, dependencies, { waits });
    if (isRead(request.method)) return inPlace(run);
    const { route } = options;
    if (signedIn === undefined) {
      if (isIngest !== true) {
        const audit = () => auditedWrite(admitted, request, { route, detail });
        recordCaller(admitted.facts, { ...admitted.author, audit });
      }
      return inPlace(run);
    }
    const { method, path } = request;
    const { environmentId } = tenant;
    const action = { action: `${method} ${route}`, path, environmentId };
    const origin = originOfRequest(request);
    const entry = { call, origin, work: run, detail: () => detail };
    return inPlace(() => dependencies.operatorAccess.audited(signedIn, action, entry));
  });
}

/**
 * Concurrency limits of a request: those of its caller and organization, or those of calls that
 * wait for the environment's clock.
 */
function placeOf(
  { callerId, tenant }: Admitted,
  {
    inFlightPerKey,
    inFlightPerOrganization,
    waiting,
    waitingPerEnvironment,
  }: AuthenticatedDependencies,
  { waits }: { waits: boolean },
): (work: () => Promise<ApiAnswer>) => Promise<ApiAnswer> {
  if (!waits) {
    const { organizationId } = tenant;
    return (work) =>
      inFlightPerKey.run(() => inFlightPerOrganization.run(work, organizationId), callerId);
  }
  return (work) => waitingPerEnvironment.run(() => waiting.run(work), tenant.environmentId);
}
