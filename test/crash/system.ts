import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { serviceNames } from '@billing/local/services';
import { type CrashFlow, startOfFlows } from './flow';
import type { CrashPoint, CrashRun } from './runs';
import { expectInvariants } from '../invariants/expectation';
import { expectMoneyReports } from '../recount/expectation';
import { ApiClient } from '../support/api-client';
import { OperatorClient } from '../support/operator-client';
import { PersistentClient } from '../support/persistent-client';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startWebhookReceiver } from '../support/webhook-receiver';

// Loops pass the same boundary repeatedly in the same state.
const hitsMax = 3;
// Reads leave no different state behind.
const reads = /Service\/(Get|Find|List|Authenticate|BeginCardEntry)/;
// Counters and polls: a crash near them has no lasting effect.
const immaterial =
  /\/activity\/|\/requests\/|\/usageEpoch\/|\/(EventLog|RequestLog)Service\/|DueWorkService\/(GetActivity|GetNextDue)/;
// A webhook or a payment attempt whose worker died is resumed after half a minute.
const settleTimeoutMs = 100_000;
const startTimeoutMs = 60_000;

/**
 * One running system whose processes kill themselves where a run demands it, and are restarted by
 * their supervisor.
 */
export class CrashSystem {
  private constructor(
    private readonly system: OwnTestSystem,
    private readonly folder: string,
    private readonly owner: OperatorClient,
  ) {}

  static async open(): Promise<CrashSystem> {
    const folder = await mkdtemp(join(tmpdir(), 'billing-f-'));
    const environment = { DELIVERY_LEASE_MS: '5000' };
    const system = await startTestSystem({
      processes: true,
      failpointsFolder: folder,
      environment,
    });
    return new CrashSystem(system, folder, await OperatorClient.owner(system));
  }

  async close(): Promise<void> {
    await this.system.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Records every boundary that the flow passes without kills. */
  async record(flow: CrashFlow): Promise<CrashPoint[]> {
    const { hits } = await this.run({ flow, kills: [] });
    const counts = new Map<string, number>();
    for (const name of hits.filter((hit) => !immaterial.test(hit))) {
      const most = reads.test(name) ? 1 : hitsMax;
      counts.set(name, Math.min((counts.get(name) ?? 0) + 1, most));
    }
    return [...counts].flatMap(([name, count]) =>
      Array.from({ length: count }, (_, index) => ({ name, hit: index + 1 })),
    );
  }

  /**
   * Runs a flow while its kills happen, and checks the invariants and the reports on money
   * afterwards. Returns the number of kills that happened.
   */
  async run({ flow, kills }: CrashRun): Promise<{ killed: number; hits: readonly string[] }> {
    await this.untilServing();
    const receiver = await startWebhookReceiver();
    try {
      const sandbox = await this.newSandbox();
      const client = new PersistentClient(new ApiClient(this.system.gatewayUrl, sandbox.key));
      await client.post(201, '/webhook-endpoints', { url: receiver.url });
      const prepared: unknown = await flow.prepare(client);
      await finishDueWork(client);
      await writeFile(join(this.folder, 'hits'), '');
      await writeFile(join(this.folder, 'kills'), kills.map(toLine).join(''));
      const outcome: unknown = await flow.act(client, prepared, this.system.databases);
      await finishDueWork(client);
      const hits = await this.linesOf('hits');
      const killsLeft = await this.linesOf('kills');
      await writeFile(join(this.folder, 'kills'), '');
      await flow.expectGoal(client, outcome);
      const timeoutMs = settleTimeoutMs;
      await expectInvariants(this.system, client.api, { receivers: [receiver], timeoutMs });
      await expectMoneyReports(client.api, this.owner.in(sandbox.id), { timeoutMs });
      return { killed: kills.length - killsLeft.length, hits };
    } finally {
      await receiver.close();
    }
  }

  private async newSandbox(): Promise<{ id: string; key: string }> {
    const { live } = this.system;
    const clock = { clock: 'MANUAL', startsAt: startOfFlows };
    return live.expect(201, live.post('/sandboxes', { name: 'test', ...clock }));
  }

  private async untilServing(): Promise<void> {
    await eventually(
      () => {
        const running = Object.keys(this.system.pids()).length;
        if (running < serviceNames.length) throw new Error(`Only ${String(running)} services run`);
      },
      { timeoutMs: startTimeoutMs },
    );
  }

  private async linesOf(file: string): Promise<string[]> {
    const text = await readFile(join(this.folder, file), 'utf8');
    return text.split('\n').filter((line) => line !== '');
  }
}

async function finishDueWork(client: PersistentClient): Promise<void> {
  const { now } = await client.get('/sandboxes/clock');
  await client.advanceTo(now as string);
}

function toLine({ name, hit }: CrashPoint): string {
  return `${name} ${String(hit)}\n`;
}
