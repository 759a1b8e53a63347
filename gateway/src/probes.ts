import type { Express } from 'express';
import { type ApiAnswer, ok } from './http/answer';
import type { ExchangeDependencies } from './http/exchange';
import { addGet } from './http/respond';

/** Dependencies of the probes. */
export interface ProbeDependencies extends ExchangeDependencies {
  readonly isReady: () => Promise<boolean>;
  /** Instance id in the response of /readyz. Optional. */
  readonly instanceId?: string | undefined;
}

/** Serves the probes of liveness and readiness. */
export function addProbes(app: Express, dependencies: ProbeDependencies): void {
  addGet(app, '/healthz', dependencies, () => ok({ status: 'ok' }));
  addGet(app, '/readyz', dependencies, () => readiness(dependencies));
}

async function readiness({ isReady, instanceId }: ProbeDependencies): Promise<ApiAnswer> {
  if (await isReady()) {
    const named = instanceId !== undefined && { 'X-Billing-Instance': instanceId };
    return ok({ status: 'ok' }, { ...named });
  }
  return {
    status: 503,
    body: { error: 'Service unavailable' },
    headers: { 'Retry-After': '1', 'Error-Code': 'unavailable' },
  };
}
