import { catchUp, type CatchUpDependencies } from '../due-work/catch-up';
import { recoveryContextOf, type RecoveryWork, type StepCounts } from '../recovery/recovery';
import type { SystemDocument } from '../replicas/system-state';
import type { SystemWatch } from '../replicas/system-watch';
import type { EventStream } from '../stream/jet-stream';
import type { Logger } from '../telemetry/logging';
import type { PeriodicWork } from './periodic-work';

const lookEveryMs = 1_000;
const extendLeaseEveryMs = 5_000;

/** Dependencies of the steps of a recovery. */
export interface RecoveryRunnerDependencies extends CatchUpDependencies {
  readonly system: SystemWatch;
  /** Id of this replica. */
  readonly replica: () => string;
  readonly stream: Pick<EventStream, 'purge'>;
  readonly work: RecoveryWork;
  readonly logger: Logger;
}

/**
 * Takes the steps that `reconcile` requests while the system recovers. One replica of the service
 * takes a step; if it dies, another one takes the step again.
 */
export function recoveryWork(dependencies: RecoveryRunnerDependencies): PeriodicWork {
  return {
    name: 'recover',
    everyMs: lookEveryMs,
    run: () => takeRequestedStep(dependencies),
    // Runs while the system is closed to all other work.
    writes: 'nothing',
  };
}

async function takeRequestedStep(dependencies: RecoveryRunnerDependencies): Promise<void> {
  const { system, replica, clock, logger } = dependencies;
  const { restore, step, done } = system.recovering ?? {};
  if (restore === undefined || step === undefined || done?.[step] !== undefined) return;
  const owner = replica();
  const lease = () => system.store.leaseStep(step, owner, clock.now());
  if (!(await lease())) return;
  const timer = setInterval(() => {
    // A lost extension is followed by the next one.
    void lease().catch(() => undefined);
  }, extendLeaseEveryMs);
  try {
    const counts = await system.write(() => take(step, { ...dependencies, restore }));
    await system.store.finishStep(step, owner, counts);
    logger.info({ step, restoreId: restore.id, ...counts }, 'recovery step done');
  } finally {
    clearInterval(timer);
  }
}

async function take(
  step: string,
  dependencies: RecoveryRunnerDependencies & { restore: NonNullable<SystemDocument['restore']> },
): Promise<StepCounts> {
  const { stream, work, restore } = dependencies;
  // Events of the lost time would be read as new ones.
  if (step === 'fence') return { purged: await stream.purge() };
  const own = work[step as keyof RecoveryWork];
  const counts = (await own?.(recoveryContextOf(restore))) ?? {};
  return step === 'catchUp' ? { ...counts, ...(await catchUp(dependencies)) } : counts;
}
