import type { EpochStorage } from '../epoch/epoch';
import type { EventDocument } from '../usage/event-store';
import type { FlushStorage } from './flush-storage';
import { partId } from './part';

/** Reports which stored events are counted: by then every later read includes them. */
export class CountedEvents {
  private until = 0;

  constructor(
    private readonly storage: Pick<FlushStorage, 'findPartIds'>,
    private readonly epochs: Pick<EpochStorage, 'readEpoch'>,
  ) {}

  /** True if all the events are counted. */
  async includes(events: readonly EventDocument[]): Promise<boolean> {
    const recent = this.after(events);
    if (recent.length === 0) return true;
    const partOf = ({ k = '', epoch, flush = '' }: EventDocument) =>
      partId(k, { epoch: Number(epoch), flush });
    const parts = await this.storage.findPartIds([...new Set(recent.map(partOf))]);
    const uncounted = recent.filter((event) => !parts.has(partOf(event)));
    if (uncounted.length === 0) return true;
    // Read after the parts: a part that was deleted before it was looked for is at or below.
    this.until = Math.max(this.until, (await this.epochs.readEpoch()).until);
    return this.after(uncounted).length === 0;
  }

  private after(events: readonly EventDocument[]): EventDocument[] {
    return events.filter(({ epoch = 0 }) => Number(epoch) > this.until);
  }
}
