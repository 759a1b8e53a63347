import { Calendar } from './calendar';
import type { DemoClient } from './demo-client';
import { type DemoPlan, planDemo } from './plan';

/** The inputs of a plan. Stored in the sandbox, so that a later call resumes the same plan. */
export interface PlanKey {
  readonly seed: string;
  readonly customers: number;
  readonly startsAt: Date;
  readonly lastDay: number;
  /** The sandbox's name on the dashboard. */
  readonly name: string;
}

export function planOf({ seed, customers, startsAt, lastDay }: PlanKey): DemoPlan {
  return planDemo({ seed, customers, calendar: new Calendar(startsAt, lastDay) });
}

/** Formats the key as metadata of the shop's first product. */
export function toMetadata({ seed, customers, startsAt, lastDay, name }: PlanKey): object {
  return {
    demoSeed: seed,
    demoCustomers: customers,
    demoStart: startsAt,
    demoDays: lastDay,
    demoName: name,
  };
}

/** The plan with which a sandbox was begun; undefined for an empty sandbox. */
export async function storedPlan(client: DemoClient): Promise<PlanKey | undefined> {
  const { data } = await client.get('/products?perPage=100');
  const kept = data.map(({ metadata }: any) => metadata).find((one: any) => 'demoSeed' in one);
  if (kept === undefined) {
    if (data.length > 0) throw new Error('The sandbox contains other data than demo data');
    return undefined;
  }
  return {
    seed: kept.demoSeed,
    customers: kept.demoCustomers,
    startsAt: new Date(kept.demoStart),
    lastDay: kept.demoDays,
    name: kept.demoName,
  };
}

/** Creates a sandbox whose clock stands at the plan's beginning. */
export async function openSandbox(
  live: DemoClient,
  { name, startsAt }: Pick<PlanKey, 'name' | 'startsAt'>,
): Promise<{ id: string; key: string }> {
  return live.post('/sandboxes', { name, clock: 'MANUAL', startsAt });
}
