import { beatEveryMs, type Replicas } from '../replicas/replicas';
import type { DatabaseHealth } from '../mongo/database-health';
import type { PeriodicWork } from './periodic-work';

// The state of the system is read twice for each heartbeat, once together with the others'.
const readSystemEveryMs = beatEveryMs / 2;

/**
 * Periodic work by which a replica learns of the others, and of the state of the system. Each
 * answer of the database also counts for its health.
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
      await (runs % 2 === 0 ? replicas.keepAlive() : replicas.system.read());
      health.recordAnswer();
    },
    // A full disk has room for heartbeats, and deletions that free space are divided, too.
    writes: 'nothing',
  };
}
