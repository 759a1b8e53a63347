import type { EpochStorage, SlotCommand } from '../epoch/epoch';
import { flushText, slotText } from './flush-id';
import type { FlushName } from './part';

/** Another process has fenced the writer: it must not use any of its slots any more. */
export class FencedError extends Error {}

/** Runs a step, and retries it until it succeeds or the writer is fenced. */
export type RetryUntilFenced = <T>(step: () => Promise<T>) => Promise<T>;

/** A slot as its writer knows it. Takes one command at a time. */
export class Slot {
  readonly id: string;
  private n = 0;
  /** Undefined: not inserted yet. Null: parked. */
  private epoch: number | null | undefined;

  constructor(
    private readonly place: { readonly writer: number; readonly slot: number },
    private readonly storage: EpochStorage,
  ) {
    this.id = slotText(place);
  }

  /** True once the slot has a document. */
  get isStored(): boolean {
    return this.epoch !== undefined;
  }

  /** True if the slot holds epochs back. */
  get isInUse(): boolean {
    return typeof this.epoch === 'number';
  }

  /** True if the slot holds back an epoch before the given one. */
  isBehind(current: number): boolean {
    return typeof this.epoch === 'number' && this.epoch < current;
  }

  /** Takes the slot into use. `current` must be read afterwards, for the next flush. */
  async acquire(retry: RetryUntilFenced): Promise<void> {
    if (this.epoch === undefined) {
      const { id, place, storage } = this;
      await retry(() => storage.insertSlot({ id, writer: place.writer }));
      this.epoch = 0;
    } else await this.change({ epoch: 0 }, retry);
  }

  /** Starts a flush, unless the writer was fenced. */
  async beginFlush(
    { epoch, ids }: Pick<SlotCommand, 'ids'> & { readonly epoch: number },
    retry: RetryUntilFenced,
  ): Promise<FlushName> {
    const flush = flushText({ ...this.place, epoch, n: this.n + 1 });
    await this.change({ epoch, flush, ids }, retry);
    return { epoch, flush };
  }

  /** Moves the slot to a later epoch between flushes. */
  async move(epoch: number, retry: RetryUntilFenced): Promise<void> {
    await this.change({ epoch }, retry);
  }

  /** Releases the epochs: the slot holds nothing back until it is acquired again. */
  async park(retry: RetryUntilFenced): Promise<void> {
    await this.change({ epoch: null }, retry);
  }

  private async change(
    { epoch, flush = '', ids = [] }: Pick<SlotCommand, 'epoch'> & Partial<SlotCommand>,
    retry: RetryUntilFenced,
  ): Promise<void> {
    // Retries of a command have its number, so that one that takes effect late changes nothing.
    this.n += 1;
    const command = { id: this.id, n: this.n, epoch, flush, ids };
    const isDone = await retry(() => this.storage.changeSlot(command));
    if (!isDone && !(await this.tookEffect(command, retry))) {
      throw new FencedError(`Slot ${this.id} was fenced`);
    }
    this.epoch = epoch;
  }

  /** True if the command took effect although its reply was lost. */
  private async tookEffect(
    { id, n, epoch, flush }: SlotCommand,
    retry: RetryUntilFenced,
  ): Promise<boolean> {
    const found = await retry(() => this.storage.findSlot(id));
    // The number belongs to one command, so the ids are the same, too.
    return found?.dead === false && found.n === n && found.epoch === epoch && found.flush === flush;
  }
}
