import { monotonicMs } from '../clock';
import { beatEveryMs, type Replicas } from '../replicas/replicas';
import type { DatabaseHealth } from '../mongo/database-health';
import type { PeriodicWork } from './periodic-work';

// The state of the system is read twice for each heartbeat, once together with the others'.
const readSystemEveryMs = beatEveryMs / 2;
// A ping that takes longer counts as a failure, too.
const answerWithinMs = 2_000;

/**
 * Periodic work by which a replica learns of the others, and of the state of the system. Each
 * answer of the database that comes in time also counts for its health.
 */
export function replicaWork(
  replicas: Replicas,
  health: Pick<DatabaseHealth, 'recordAnswer'>,
): PeriodicWork {
  let runs = 0;
  return {
    name: 'heartbeat',
    everyMs: readSystemEveryMs,
    run: async () => {
      runs += 1;
      const startedMs = monotonicMs();
      await (runs % 2 === 0 ? replicas.keepAlive() : replicas.system.read());
      if (monotonicMs() - startedMs < answerWithinMs) health.recordAnswer();
    },
    // A full disk has room for heartbeats, and deletions that free space are divided, too.
    writes: 'nothing',
  };
}
