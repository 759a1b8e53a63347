import { eventually } from '@billing/chassis/testing';
import { type Ended, type IsFatal, reportOf } from './command';
import type { Machine } from './machine';

/** Steps of `reconcile`; it may be killed after each. */
export const steps = ['fence', 'reassert', 'provider', 'catchUp', 'match'] as const;
export type Step = (typeof steps)[number];

const following: Readonly<Record<Step, string>> = {
  fence: 'reassert',
  reassert: 'provider',
  provider: 'catchUp',
  catchUp: 'match',
  match: 'check',
};

// The longest time between databases that a restore allows, with a margin for the command.
const apartMsMax = 50_000;

interface Recovery {
  /** Time of the oldest copy. */
  readonly savedAt: Date;
  /** Time at which the services were stopped. */
  readonly stoppedAt: Date;
  /** The machine loses its power after these steps, one after the other. */
  readonly kills?: readonly Step[];
  /** Reason for opening the system despite what is found; absent: it stays closed then. */
  readonly openReason?: string;
}

/**
 * Recovers a stopped system whose databases were put back, as the guide has it: names the restore,
 * starts the services, reconciles. Returns the end of the last `reconcile`.
 */
export async function recover(
  machine: Machine,
  { savedAt, stoppedAt, kills = [], openReason }: Recovery,
): Promise<Ended> {
  // A slow machine may have taken longer for the acts than copies may be apart.
  const earliest = new Date(stoppedAt.getTime() - apartMsMax);
  const instant = savedAt < earliest ? earliest : savedAt;
  const named = await machine.run(['restore', '--restored', instant.toISOString()]);
  expect([named.code, named.stderr.includes('Error')]).toEqual([0, false]);
  await machine.start();
  for (const step of kills) {
    const killed = await reconcile(machine, after(step));
    expect([step, killed.code]).toEqual([step, undefined]);
    await machine.kill();
    await machine.start();
  }
  const open = openReason === undefined ? [] : ['--open', openReason];
  return machine.run(['reconcile', '--json', ...open]);
}

function reconcile(machine: Machine, isFatal: IsFatal): Promise<Ended> {
  return machine.run(['reconcile', '--json'], isFatal);
}

/** Kills `reconcile` when it has reported that a step is done. */
export function after(step: Step): IsFatal {
  return (reported) => reported.includes(`Step ${following[step]}`);
}

/** Expects that a `reconcile` has found nothing; returns the code of the restore. */
export async function expectClean(ended: Ended, machine: Machine): Promise<string> {
  const { findings, unmatchedCharges, opened, code } = reportOf(ended);
  const found = { findings, unmatchedCharges, opened };
  expect(found).toEqual({ findings: [], unmatchedCharges: [], opened: true });
  await untilServed(machine);
  return String(code);
}

/**
 * Expects that a `reconcile` has found that resources were lost, and opens the system by hand.
 * Returns the code of the restore.
 */
export async function openDespite(
  lost: readonly string[],
  { ended, machine }: { readonly ended: Ended; readonly machine: Machine },
): Promise<string> {
  const { findings, unmatchedCharges, opened, code } = reportOf(ended);
  expect([ended.code, unmatchedCharges, opened]).toEqual([1, [], false]);
  const missing = findings.map(({ invariant, text }: any) => {
    const [, , , kind, id] = String(text).split(/[ ,]/);
    expect([text, invariant]).toEqual([text, 'missing_reference']);
    return `${String(kind)} ${String(id)}`;
  });
  expect([...new Set(missing)].toSorted()).toEqual(lost.toSorted());
  const byHand = await machine.run(['reconcile', '--open', 'The losses are known', '--json']);
  expect(reportOf(byHand)).toMatchObject({ opened: true, code });
  await untilServed(machine);
  return String(code);
}

/** Each service reads within about a second that the system is open. */
export async function untilServed(machine: Machine): Promise<void> {
  const live = machine.client(machine.liveKey);
  const paths = ['invoices', 'subscriptions', 'customers', 'products', 'discounts', 'meters'];
  for (const path of [...paths, 'webhook-endpoints', 'api-keys']) {
    await eventually(async () => {
      expect([path, (await live.get(`/${path}`)).status]).toEqual([path, 200]);
    });
  }
}
