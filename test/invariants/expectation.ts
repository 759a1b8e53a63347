import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../api-client';
import type { TestSystem } from '../test-system';
import type { WebhookReceiver } from '../webhook-receiver';
import { takePicture } from './collection';
import { examineAll, findingsOf, toTable } from './report';

// What is on its way may still arrive; a webhook's first repetition comes after five seconds.
const settleTimeoutMs = 20_000;

/** Fails with everything that is wrong in the client's environment, once nothing is on its way any more. */
export async function expectInvariants(
  system: TestSystem,
  client: ApiClient,
  {
    receivers = [],
    timeoutMs = settleTimeoutMs,
  }: { receivers?: readonly WebhookReceiver[]; timeoutMs?: number } = {},
): Promise<void> {
  const { addresses } = system;
  const stranger = client.key === system.sandboxKey ? system.live : system.sandbox;
  await eventually(
    async () => {
      const verdicts = examineAll(await takePicture({ client, addresses, receivers, stranger }));
      if (findingsOf(verdicts).length > 0) throw new Error(`Invariants:\n${toTable(verdicts)}`);
    },
    { timeoutMs, everyMs: 250, everyMsMax: 4_000 },
  );
}
