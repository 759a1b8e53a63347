import { createHmac, timingSafeEqual } from 'node:crypto';
import { toBase32 } from '../second-factor/base32';

/** A change of an operator's address. */
export interface AskedChange {
  readonly operatorId: string;
  /** The new address. */
  readonly email: string;
  /** Generation of the operator's sessions: a change ends all former codes. */
  readonly generation: number;
}

const hourMs = 60 * 60 * 1_000;
// Forty bits: wrong ones are limited to ten in a quarter of an hour.
const bytes = 5;
const letters = 8;

/**
 * Codes that prove the new address of an operator, who has read a mail to it. They are derived, not
 * stored, and valid for an hour or two.
 */
export class EmailCodes {
  constructor(
    /** The newest first; all of them verify. */
    private readonly peppers: readonly string[],
  ) {}

  codeOf(change: AskedChange, now: Date): string {
    return codeIn(hourOf(now), change, this.peppers[0] ?? '');
  }

  isCode(typed: string, change: AskedChange, now: Date): boolean {
    const text = Buffer.from(typed.replaceAll(/[\s-]/g, '').toUpperCase());
    if (text.length !== letters) return false;
    const hours = [hourOf(now), hourOf(now) - 1];
    return this.peppers.some((pepper) =>
      hours.some((hour) => timingSafeEqual(Buffer.from(codeIn(hour, change, pepper)), text)),
    );
  }
}

function hourOf(now: Date): number {
  return Math.floor(now.getTime() / hourMs);
}

function codeIn(
  hour: number,
  { operatorId, email, generation }: AskedChange,
  pepper: string,
): string {
  const text = JSON.stringify(['email code', operatorId, email, generation, hour]);
  const digest = createHmac('sha256', pepper).update(text).digest();
  return toBase32(digest.subarray(0, bytes));
}
