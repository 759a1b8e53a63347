import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { CursorStore, SeenEntry } from '../message/cursor-store';
import type { EventLogOwner } from '../peer/peers';
import type { LostEntryStore } from './lost-entry-store';

export interface OwnerWatchDependencies {
  readonly owners: readonly Pick<EventLogOwner, 'find' | 'name'>[];
  readonly cursors: Pick<CursorStore, 'findAll'>;
  readonly lost: Pick<LostEntryStore, 'findAll' | 'replace'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
}

// Older entries are not looked up: someone has repaired, or accepted, what was lost.
const lookBackMs = 24 * 60 * 60_000;
// A database that is killed may lose an entry that was read before it reached the disk. Its outbox
// logs the entry again right after the start.
const loggedAgainMsMax = 2 * 60_000;

/**
 * Notices that an owner's database was put back to an earlier time without a restore of the whole
 * system: its event log lacks entries that were read from it. An event that was made again has the
 * id of the lost one, and a later time of insertion.
 */
export class OwnerWatch {
  constructor(private readonly dependencies: OwnerWatchDependencies) {}

  async run(): Promise<void> {
    const { owners, cursors, lost, logger } = this.dependencies;
    const [read, known] = await Promise.all([cursors.findAll(), lost.findAll()]);
    for (const owner of owners) {
      try {
        const recent = read.get(owner.name)?.recent ?? [];
        await this.look(owner, recent, known.get(owner.name) ?? []);
      } catch (error) {
        // An owner that is starting again says nothing about its data.
        logger.warn({ err: error, owner: owner.name }, 'event log not looked up, retrying');
      }
    }
  }

  private async look(
    owner: Pick<EventLogOwner, 'find' | 'name'>,
    recent: readonly SeenEntry[],
    lostBefore: readonly SeenEntry[],
  ): Promise<void> {
    const { lost, clock, logger } = this.dependencies;
    const sinceMs = clock.now().getTime() - lookBackMs;
    const looked = new Map([...lostBefore, ...recent].map((entry) => [keyOf(entry), entry]));
    const entries = [...looked.values()].filter(({ insertedAt }) => insertedAt.getTime() > sinceMs);
    const found = await findEntries(owner, [...new Set(entries.map(({ id }) => id))]);
    const missing = entries.filter((entry) => !isThere(entry, found.get(entry.id)));
    if (missing.length === 0 && lostBefore.length === 0) return;
    await lost.replace(owner.name, missing);
    const [first] = missing;
    if (first === undefined || lostBefore.length > 0) return;
    const facts = { owner: owner.name, entryId: first.id, insertedAt: first.insertedAt };
    logger.error(
      { alarm: 'database_went_back', ...facts },
      'entries of an event log are missing, or were logged again',
    );
  }
}

/** One insertion of an event. */
function keyOf({ id, insertedAt }: SeenEntry): string {
  return `${id} ${insertedAt.toISOString()}`;
}

function isThere({ insertedAt }: SeenEntry, foundAt: Date | undefined): boolean {
  return foundAt !== undefined && foundAt.getTime() - insertedAt.getTime() <= loggedAgainMsMax;
}

/** Times of insertion of the log's entries with these ids. A page of large entries may have few. */
async function findEntries(
  owner: Pick<EventLogOwner, 'find'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const found = new Map<string, Date>();
  for (let left = ids; left.length > 0; left = ids.filter((id) => !found.has(id))) {
    const { entries, hasMore } = await owner.find(left);
    for (const { id, insertedAt } of entries) found.set(id, insertedAt);
    if (!hasMore) break;
  }
  return found;
}
