import { newId } from '@billing/chassis/ids';
import { Restores } from '@billing/chassis/restores';
import { SystemStore } from '@billing/chassis/system-store';
import { eventually } from '@billing/chassis/testing';
import type { RunningNotifier, TestSystem } from './system';

/** A notifier that has recovered from a restore and still is closed. */
interface RecoveredNotifier {
  readonly notifier: RunningNotifier;
  readonly restoreId: string;
  /** Opens the system; returns the real time of the opening. */
  open(): Promise<Date>;
}

/**
 * Records a restore to this instant in the notifier's database, starts a notifier and lets it take
 * the steps of a recovery up to the opening.
 */
export async function recoverNotifier(
  { mongo: { db } }: TestSystem,
  code: string,
  start: () => Promise<RunningNotifier>,
): Promise<RecoveredNotifier> {
  const store = new SystemStore(db);
  const restores = new Restores(db);
  await store.close();
  const at = new Date();
  const restore = { id: newId(), code, at, instant: at };
  await restores.record(restore);
  await store.recoverFrom(restore);
  const notifier = await start();
  for (const step of ['fence', 'reassert', 'provider', 'catchUp']) {
    await store.requestStep(step);
    await eventually(async () => {
      expect(Object.keys((await store.read())?.done ?? {})).toContain(step);
    });
  }
  return {
    notifier,
    restoreId: restore.id,
    open: async () => {
      const openedAt = await restores.recordOpening(restore.id, new Date());
      await store.open();
      return openedAt;
    },
  };
}
