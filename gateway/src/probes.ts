import { DomainError } from '@billing/kernel/domain-error';
import type { Express } from 'express';
import { type ApiAnswer, ok } from './http/answer';
import type { ExchangeDependencies } from './http/exchange';
import { addGet, respond } from './http/respond';
import type { ServedWatch } from './served-watch';

/** Dependencies of the probes. */
export interface ProbeDependencies extends ExchangeDependencies {
  /** Callers that the system serves. */
  readonly served: ServedWatch;
  /** Release of the gateway. */
  readonly version: string;
  /** Instance id in the response of /readyz. Optional. */
  readonly instanceId?: string | undefined;
}

/** Serves the probes of liveness and readiness. */
export function addProbes(app: Express, dependencies: ProbeDependencies): void {
  addGet(app, '/healthz', dependencies, () => ok({ status: 'ok' }));
  addGet(app, '/readyz', dependencies, () => readiness(dependencies));
}

async function readiness(dependencies: ProbeDependencies): Promise<ApiAnswer> {
  const { version, instanceId } = dependencies;
  const served = await dependencies.served.look();
  const headers = {
    'X-Billing-Version': version,
    ...(served !== 'none' && instanceId !== undefined && { 'X-Billing-Instance': instanceId }),
  };
  if (served === 'all') return ok({ status: 'ok' }, headers);
  const refused =
    served === 'services'
      ? { 'Retry-After': '30', 'Error-Code': 'recovering' }
      : { 'Retry-After': '1', 'Error-Code': 'unavailable' };
  return {
    status: 503,
    body: { error: 'Service unavailable' },
    headers: { ...headers, ...refused },
  };
}

/**
 * Refuses paths that no service takes part in while the system recovers from a restore; services
 * refuse all others.
 */
export function refuseWhileRecovering(
  app: Express,
  paths: readonly string[],
  dependencies: ProbeDependencies,
): void {
  for (const path of paths) {
    const refuse = respond(dependencies, { route: path }, () =>
      Promise.reject(new DomainError('unavailable', 'RECOVERING', 'Service unavailable')),
    );
    app.all(path, (request, response, next) => {
      dependencies.served.recent().then(
        (served) => {
          if (served === 'services') refuse(request, response, next);
          else next();
        },
        () => {
          next();
        },
      );
    });
  }
}
