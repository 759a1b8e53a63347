import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs, systemClock } from '@billing/chassis/clock';
import { recoverySteps, type StepCounts } from '@billing/chassis/recovery';
import type { Aggregates } from '../database/aggregates';
import type { ServiceDatabase } from '../database/databases';
import type { LivingServices } from './living-services';
import { moveClocks } from './move-clocks';
import { countPending } from './pending-messages';

const lookEveryMs = 500;
// Commands that keep failing are found by the check.
const settleWithinMs = 120_000;
// Longer than the longest pause between retries of a command, with its deviation.
const stillMs = 20_000;
// After these steps, messages may wait for a later one.
const stepsBeforeOthers: ReadonlySet<string> = new Set(['reassert', 'provider']);

/** A step and what the services have counted in it, as `<service>.<count>`. */
export interface StepReport {
  readonly step: string;
  readonly counts: StepCounts;
}

interface RequestOptions {
  readonly aggregates: readonly Aggregates[];
  readonly living: LivingServices;
  readonly report: (line: string) => void;
}

/** Takes the steps in their order; each is done in all services before the next one begins. */
export async function takeSteps(
  databases: readonly ServiceDatabase[],
  options: RequestOptions,
): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of recoverySteps) {
    options.report(`Step ${step}`);
    // Owners decide by the time of their environments.
    if (step === 'reassert') await reportMovedClocks(databases, options);
    reports.push({ step, counts: await takeStep(databases, step, options) });
    // No message is exchanged before the services agree.
    if (step !== 'fence') await settle(databases, step, options);
  }
  return reports;
}

async function reportMovedClocks(
  databases: readonly ServiceDatabase[],
  { aggregates, report }: RequestOptions,
): Promise<void> {
  const moved = await moveClocks(databases, aggregates, systemClock.now());
  if (moved > 0) report(`Clocks moved to the latest time of their documents: ${String(moved)}`);
}

async function takeStep(
  databases: readonly ServiceDatabase[],
  step: string,
  { living }: RequestOptions,
): Promise<StepCounts> {
  const isDone = await readDone(databases, step);
  if (!databases.every(({ service }) => isDone.has(service))) {
    for (const { system } of databases) await system.requestStep(step);
  }
  for (;;) {
    await living.watch(databases);
    const done = await readDone(databases, step);
    if (databases.every(({ service }) => done.has(service))) return joined(done);
    await delay(lookEveryMs);
  }
}

async function readDone(
  databases: readonly ServiceDatabase[],
  step: string,
): Promise<Map<string, StepCounts>> {
  const done = new Map<string, StepCounts>();
  for (const { service, system } of databases) {
    const counts = (await system.read())?.done?.[step];
    if (counts !== undefined) done.set(service, counts);
  }
  return done;
}

function joined(done: ReadonlyMap<string, StepCounts>): StepCounts {
  const counts = [...done].flatMap(([service, own]) =>
    Object.entries(own).map(([name, count]) => [`${service}.${name}`, count] as const),
  );
  return Object.fromEntries(counts);
}

/**
 * Waits until the services have exchanged the messages of a step, but not for those that wait for a
 * later step.
 */
async function settle(
  databases: readonly ServiceDatabase[],
  step: string,
  { aggregates, living }: RequestOptions,
): Promise<void> {
  const startedMs = monotonicMs();
  let last = '';
  let sinceMs = startedMs;
  for (;;) {
    const pending = await countPending(aggregates);
    const nowMs = monotonicMs();
    if (pending.size === 0 || nowMs - startedMs >= settleWithinMs) return;
    const seen = JSON.stringify([...pending]);
    if (seen !== last) [last, sinceMs] = [seen, nowMs];
    if (stepsBeforeOthers.has(step) && nowMs - sinceMs >= stillMs) return;
    await living.watch(databases);
    await delay(lookEveryMs);
  }
}
