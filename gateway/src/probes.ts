import type { Express } from 'express';
import { type ApiAnswer, ok } from './http/answer';
import type { ExchangeDependencies } from './http/exchange';
import { addGet } from './http/respond';

/** Dependencies of the probes. */
export interface ProbeDependencies extends ExchangeDependencies {
  readonly isReady: () => Promise<boolean>;
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
  const { isReady, version, instanceId } = dependencies;
  const release = { 'X-Billing-Version': version };
  if (await isReady()) {
    const named = instanceId !== undefined && { 'X-Billing-Instance': instanceId };
    return ok({ status: 'ok' }, { ...release, ...named });
  }
  return {
    status: 503,
    body: { error: 'Service unavailable' },
    headers: { ...release, 'Retry-After': '1', 'Error-Code': 'unavailable' },
  };
}
