import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import type { Assignment } from './assignment-store';
import { DeliveryWorker, type DeliveryWorkerDependencies } from './delivery-worker';

const endpoint = { environmentId: 'environment', endpointId: 'endpoint' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

function assignmentOf(url: string): Assignment {
  const delivery = { ...endpoint, _id: 'delivery', subscriptionId: 'subscription' };
  return { endpoint: { state: { url } }, delivery, claim: url } as unknown as Assignment;
}

const urlOf = (assignment: Assignment) => assignment.endpoint.state.url;

test('a delivery is not sent to an endpoint that changed while the delivery was claimed', async () => {
  const claims = [1, 2].map(() => Promise.withResolvers<Assignment[]>());
  let claimed = 0;
  const [sent, released]: [string[], string[]] = [[], []];
  const worker = new DeliveryWorker({
    assignments: {
      claim: () => {
        const claim = claims[claimed];
        claimed += 1;
        return claim?.promise ?? Promise.resolve([]);
      },
    },
    deliveries: { collections: [] },
    health: { findWorking: () => Promise.resolve(new Set([endpoint.endpointId])) },
    sender: {
      send: (assignment: Assignment) => {
        sent.push(urlOf(assignment));
        return Promise.resolve({ outcome: { kind: 'answered', status: 204 }, durationMs: 1 });
      },
      release: (assignment: Assignment) => {
        released.push(urlOf(assignment));
        return Promise.resolve();
      },
      storeResult: () => Promise.resolve(),
    },
    slices: { owns: () => true, isAlone: true },
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    waitMaxMs: 60_000,
  } as unknown as DeliveryWorkerDependencies);
  worker.wake([endpoint]);
  await turn();
  worker.reclaim(endpoint);
  claims[0]!.resolve([assignmentOf('former')]);
  await turn();
  expect([sent, released]).toEqual([[], ['former']]);

  claims[1]!.resolve([assignmentOf('present')]);
  await turn();
  expect([sent, released]).toEqual([['present'], ['former']]);
  await worker.stop(0);
});
