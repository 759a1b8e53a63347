import { BillingError } from '@billing/client';
import type { Session } from './session';

/** The clock of an environment; null for a key without the scope to read it. */
interface Clock {
  readonly clock: string | null;
  readonly now: string | null;
}

/** Reads the clock; a key that may not read it is no failure. */
export async function readClock({ api }: Session, signal?: AbortSignal): Promise<Clock> {
  try {
    const { clock, now } = await api.sandboxes.retrieveClock(signal && { signal });
    return { clock, now };
  } catch (error) {
    if (error instanceof BillingError && error.status === 403) return { clock: null, now: null };
    throw error;
  }
}
