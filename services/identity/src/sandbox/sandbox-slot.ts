import { DomainError } from '@billing/kernel/domain-error';
import type { StoredSandbox } from '../environment/environment';

/** One of the numbered places for an organization's sandboxes. */
export interface SandboxSlot {
  readonly organizationId: string;
  /** From 1 to the largest number of sandboxes that an organization may have. */
  readonly number: number;
  /** The sandbox that holds the slot; it may not be stored yet. */
  readonly sandboxId: string;
  /** Real time. */
  readonly heldAt: Date;
}

// A call that takes a slot stores its sandbox within ten minutes, or never.
const storedWithinMs = 12 * 60_000;

/** The lowest numbers that no slot has, at most `count`. */
export function freeNumbers(
  slots: readonly SandboxSlot[],
  { count, max }: { readonly count: number; readonly max: number },
): number[] {
  const taken = new Set(slots.map(({ number }) => number));
  const free: number[] = [];
  for (let number = 1; number <= max && free.length < count; number += 1) {
    if (!taken.has(number)) free.push(number);
  }
  return free;
}

/** Sandboxes without a slot: those of earlier releases. */
export function withoutSlot(
  slots: readonly SandboxSlot[],
  sandboxes: readonly StoredSandbox[],
): string[] {
  const holders = new Set(slots.map(({ sandboxId }) => sandboxId));
  const lacking = sandboxes.filter(({ id, isDeleted }) => !isDeleted && !holders.has(id));
  return lacking.map(({ id }) => id);
}

/** Slots of sandboxes that are deleted, or were not stored by the call that took the slot. */
export function abandonedSlots(
  slots: readonly SandboxSlot[],
  sandboxes: readonly StoredSandbox[],
  now: Date,
): SandboxSlot[] {
  const known = new Map(sandboxes.map(({ id, isDeleted }) => [id, isDeleted]));
  return slots.filter(({ sandboxId, heldAt }) => {
    const isLate = now.getTime() - heldAt.getTime() >= storedWithinMs;
    return known.get(sandboxId) ?? isLate;
  });
}

export function sandboxLimitReached(): DomainError {
  const message = 'Sandbox limit reached';
  return new DomainError('failed_precondition', 'SANDBOX_LIMIT_REACHED', message);
}
