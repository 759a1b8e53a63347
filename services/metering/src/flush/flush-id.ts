import { epochText } from '../epoch/epoch';
import { sortableNumber } from '../epoch/sortable-number';

/** Identity of one insert command of events. */
export interface FlushId {
  readonly epoch: number;
  readonly writer: number;
  readonly slot: number;
  /** Number of the command to the slot that started the flush. */
  readonly n: number;
}

const writerWidth = 6;
const slotWidth = 1;
const numberWidth = 7;

/** `<epoch>.<writer>.<slot>.<n>` in base 36. Texts sort as the numbers. */
export function flushText({ epoch, writer, slot, n }: FlushId): string {
  return `${epochText(epoch)}.${slotText({ writer, slot })}.${sortableNumber(n, numberWidth)}`;
}

/** `<writer>.<slot>` in base 36. */
export function slotText({ writer, slot }: Pick<FlushId, 'writer' | 'slot'>): string {
  return `${sortableNumber(writer, writerWidth)}.${sortableNumber(slot, slotWidth)}`;
}
