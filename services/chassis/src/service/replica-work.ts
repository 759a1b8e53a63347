import { beatEveryMs, type Replicas } from '../replicas/replicas';
import type { PeriodicWork } from './periodic-work';

const readSystemEveryMs = 1_000;

/** Periodic work by which a replica learns of the others, and of the state of the system. */
export function replicaWork(replicas: Replicas): PeriodicWork[] {
  return [
    {
      name: 'read system state',
      everyMs: readSystemEveryMs,
      run: () => replicas.system.read(),
      writes: 'nothing',
    },
    {
      name: 'heartbeat',
      everyMs: beatEveryMs,
      run: () => replicas.keepAlive(),
      // A full disk has room for them, and deletions that free space are divided, too.
      writes: 'nothing',
    },
  ];
}
