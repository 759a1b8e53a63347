import type { Served } from '@billing/chassis/peer';
import type { Express } from 'express';
import { type ApiAnswer, ok } from './http/answer';
import type { ExchangeDependencies } from './http/exchange';
import { addGet } from './http/respond';

/** Dependencies of the probes. */
export interface ProbeDependencies extends ExchangeDependencies {
  /** Callers that the system serves. */
  readonly readServed: () => Promise<Served>;
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
  const { readServed, version, instanceId } = dependencies;
  const served = await readServed();
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
