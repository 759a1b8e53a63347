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

/** A plan key as metadata of the shop's first product. */
export interface DemoMetadata extends Record<string, string | number> {
  readonly demoSeed: string;
  readonly demoCustomers: number;
  readonly demoStart: string;
  readonly demoDays: number;
  readonly demoName: string;
}

/** Formats the key as metadata. */
export function toMetadata({ seed, customers, startsAt, lastDay, name }: PlanKey): DemoMetadata {
  return {
    demoSeed: seed,
    demoCustomers: customers,
    demoStart: startsAt.toISOString(),
    demoDays: lastDay,
    demoName: name,
  };
}

/** The plan with which a sandbox was begun; undefined for an empty sandbox. */
export async function storedPlan({ api }: DemoClient): Promise<PlanKey | undefined> {
  const { data } = await api.products.list({ perPage: 100 });
  const kept = data
    .map(({ metadata }) => metadata as DemoMetadata)
    .find((one) => 'demoSeed' in one);
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
  { api }: DemoClient,
  { name, startsAt }: Pick<PlanKey, 'name' | 'startsAt'>,
): Promise<{ id: string; key: string }> {
  const { id, key } = await api.sandboxes.create({
    name,
    clock: 'MANUAL',
    startsAt: startsAt.toISOString(),
  });
  if (key === null) throw new Error('The key of a sandbox is shown once only');
  return { id, key };
}
