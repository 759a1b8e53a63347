import type { Clock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import type { CursorStore } from '../message/cursor-store';
import type { EventLogOwner, LoggedEvent, LogStart } from '../peer/peers';

const pageMax = 500;
// A backlog beyond this is reported only after it is accepted.
const pagesMax = 10;
// The interval at which logs are read in any case. Callers within this time share one read,
// whichever environment they ask for.
const cacheMs = 5_000;

/**
 * The log entries after the cursors: events of all environments that are announced and not accepted
 * yet.
 */
export class LogTails {
  private reading: { readonly at: Date; readonly entries: Promise<LoggedEvent[]> } | undefined;

  constructor(
    private readonly options: {
      readonly owners: readonly EventLogOwner[];
      readonly cursors: CursorStore;
      readonly clock: Clock;
    },
  ) {}

  /**
   * Returns entries that are at most five seconds old. Throws unavailable if more than 5,000
   * entries of a log wait.
   */
  read(): Promise<LoggedEvent[]> {
    const now = this.options.clock.now();
    const { reading } = this;
    if (reading !== undefined && now.getTime() - reading.at.getTime() < cacheMs) {
      return reading.entries;
    }
    const entries = this.readAll();
    this.reading = { at: now, entries };
    return entries;
  }

  private async readAll(): Promise<LoggedEvent[]> {
    const tails = await Promise.all(this.options.owners.map((owner) => this.readTail(owner)));
    return tails.flat();
  }

  private async readTail(owner: EventLogOwner): Promise<LoggedEvent[]> {
    const cursor = await this.options.cursors.find(owner.name);
    const tail: LoggedEvent[] = [];
    let start: LogStart = cursor === undefined ? { beginning: true } : { after: cursor.position };
    for (let page = 1; page <= pagesMax; page += 1) {
      const { entries, hasMore } = await owner.read(start, pageMax);
      tail.push(...entries);
      const last = entries.at(-1);
      if (!hasMore || last === undefined) return tail;
      start = { after: last.position };
    }
    throw new DomainError('unavailable', 'EVENTS_WAITING', 'Service unavailable');
  }
}
