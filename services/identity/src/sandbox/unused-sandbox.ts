import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { deleteSandbox, type Environment, withdrawNotice } from '../environment/environment';
import { stopAdvances } from '../environment/sandbox-clock';

const dayMs = 24 * 60 * 60_000;
/** Real time without a use after which the deletion of a sandbox is announced. */
export const unusedMs = 90 * dayMs;
/** Real time between the announcement of a deletion and the deletion. */
const noticeMs = 14 * dayMs;

/** Facts about the use of a sandbox, in real time. */
export interface SandboxUse {
  readonly createdAt: Date;
  /** The last request with one of its keys; undefined: none. */
  readonly keyUsedAt: Date | undefined;
}

/**
 * Announces the deletion of a sandbox that has not been used for 90 days, deletes a sandbox whose
 * notice has ended, and withdraws the notice of one that was used in between. Live and deleted
 * environments stay as they are. `now` is real time.
 */
export function retire(
  environment: Environment,
  use: SandboxUse,
  now: Date,
): Transition<Environment> {
  const { kind, deletedAt, deletesAt } = environment;
  if (kind === 'LIVE' || deletedAt !== undefined) return unchanged(environment);
  if (now.getTime() - lastUse(environment, use) < unusedMs) return withdrawNotice(environment);
  if (deletesAt === undefined) {
    return only({ ...environment, deletesAt: new Date(now.getTime() + noticeMs) });
  }
  if (now < deletesAt) return unchanged(environment);
  return deleteSandbox(stopAdvances(environment).state, now);
}

function lastUse({ advancedAt }: Environment, { createdAt, keyUsedAt }: SandboxUse): number {
  const uses = [createdAt, keyUsedAt, advancedAt];
  return Math.max(...uses.map((use) => use?.getTime() ?? 0));
}
