import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import type { TestSystem } from '../support/shared-system';
import type { WebhookReceiver } from '../support/webhook-receiver';
import { takePicture } from './collection';
import { examineAll, findingsOf, toTable } from './report';

// Deliveries in flight may still arrive; a webhook's first retry comes after five seconds.
const settleTimeoutMs = 60_000;

/** Fails with every violation in the client's environment, once no work is in flight. */
export async function expectInvariants(
  system: Pick<TestSystem, 'addresses' | 'live' | 'sandbox' | 'sandboxKey'>,
  client: ApiClient,
  {
    receivers = [],
    timeoutMs = settleTimeoutMs,
    isBrief = false,
    handedOver,
    isExplained = () => false,
  }: {
    receivers?: readonly WebhookReceiver[];
    timeoutMs?: number;
    /** True: without the rules about exports and about reads from other environments. */
    isBrief?: boolean;
    /** Message-IDs that the mail server of the system got. */
    handedOver?: () => readonly string[];
    /** True for findings that a restore has made unavoidable; absent: there are none. */
    isExplained?: (finding: string) => boolean;
  } = {},
): Promise<void> {
  const { addresses } = system;
  const other = client.key === system.sandboxKey ? system.live : system.sandbox;
  const stranger = isBrief ? undefined : other;
  await eventually(
    async () => {
      const viewpoint = { client, addresses, receivers, stranger, handedOver: handedOver?.() };
      const reads = { hasExports: !isBrief, hasTexts: false };
      const verdicts = examineAll(await takePicture({ ...viewpoint, ...reads }));
      const findings = findingsOf(verdicts).filter((finding) => !isExplained(finding));
      if (findings.length > 0) throw new Error(`Invariants:\n${toTable(verdicts)}`);
    },
    { timeoutMs, everyMs: 250, everyMsMax: 4_000 },
  );
}
