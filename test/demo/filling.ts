import type { Billing } from '@billing/client';
import type { DemoClient } from './demo-client';
import { Performance } from './performance';
import type { DayPlan, DemoPlan } from './plan';
import type { DemoMetadata } from './sandbox';
import { Shopfront } from './shopfront';
import { stockUp } from './stock';

/** Progress of a filling. */
export interface FillingState {
  readonly at: Date;
  readonly daysDone: number;
  readonly days: number;
  readonly requests: number;
}

/** Customers are independent of each other; more parallelism than processors gains little. */
const concurrentTurns = 4;
const closingMs = 60_000;

/**
 * Executes the plan in a sandbox whose clock stands at its beginning or later. The clock moves on
 * when a day's work is done, so earlier days are complete, and only the current day is executed
 * again.
 */
export async function fillSandbox({
  client,
  plan,
  metadata,
  onProgress,
}: {
  client: DemoClient;
  plan: DemoPlan;
  /** Stored in the sandbox, see `stock.ts`. */
  metadata: DemoMetadata;
  onProgress: (state: FillingState) => void;
}): Promise<void> {
  const stock = await stockUp(client, { seed: plan.seed, metadata });
  const shopfront = new Shopfront(client.url, () => (client.requests += 1));
  const performance = new Performance(client.api, shopfront, stock, plan.seed);
  const { now } = await client.api.sandboxes.retrieveClock();
  const clock = new Date(now);
  const days = (plan.days.at(-1)?.day ?? 0) + 1;
  for (const day of plan.days) {
    if (day.at >= clock) {
      if (day.at > clock) await advance(client.api, day.at);
      await performDay(performance, day);
    }
    onProgress({ at: day.at, daysDone: day.day + 1, days, requests: client.requests });
  }
  const end = new Date((plan.days.at(-1)?.at ?? clock).getTime() + closingMs);
  if (end > clock) await advance(client.api, end);
}

async function performDay(performance: Performance, { day, turns, usage }: DayPlan): Promise<void> {
  await performance.report(usage);
  const waiting = [...turns];
  const takeTurns = async () => {
    for (let turn = waiting.shift(); turn !== undefined; turn = waiting.shift()) {
      await performance.perform(day, turn);
    }
  };
  await Promise.all(Array.from({ length: concurrentTurns }, takeTurns));
}

async function advance(api: Billing, to: Date): Promise<void> {
  await api.sandboxes.advance({ to: to.toISOString() });
}
