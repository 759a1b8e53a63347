import { systemClock } from '../clock';
import { newId } from '../ids';
import { connectMongo } from '../mongo/mongo';
import type { RecoveryStep, StepCounts } from '../recovery/recovery';
import { ReplicaStore } from '../replicas/replica-store';
import { SystemStore } from '../replicas/system-store';
import type { ServiceConfiguration } from '../service/configuration';
import { eventually } from './testing';

/**
 * Has a running service take steps of a recovery, as `reconcile` requests them, and opens it again.
 * Returns the counts of each step; `after` runs between steps, while the service is closed.
 */
export async function recoverInTest(
  configuration: Pick<ServiceConfiguration, 'MONGODB_URI' | 'MONGODB_DATABASE'>,
  steps: readonly RecoveryStep[],
  { after = {} }: { readonly after?: Partial<Record<RecoveryStep, () => Promise<void>>> } = {},
): Promise<Readonly<Record<string, StepCounts>>> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const store = new SystemStore(mongo.db);
  try {
    const at = systemClock.now();
    await store.close();
    await store.recoverFrom({ id: newId(), code: 'WHDWR', at, instant: at });
    for (const step of ['fence', ...steps]) {
      await store.requestStep(step);
      await eventually(async () => {
        const { done = {} } = (await store.read()) ?? {};
        if (done[step] === undefined) throw new Error(`The step ${step} is not done`);
      });
      await after[step as RecoveryStep]?.();
    }
    return (await store.read())?.done ?? {};
  } finally {
    await store.open();
    const openedAt = systemClock.now();
    await eventually(async () => {
      const replicas = await new ReplicaStore(mongo.db).list();
      const isOpen = replicas.every(({ at, system }) => at > openedAt && system?.state === 'OPEN');
      if (!isOpen) throw new Error('The service is not open');
    });
    await mongo.close();
  }
}
