import type { Document } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slices';
import type { RenewalSeed } from './renewals/seed';

const dayMs = 24 * 60 * 60 * 1_000;
const insertBatchSize = 1_000;
// Two years of customers: of a hundred that began, this many have ended, are on trial, and are past
// due.
const historyDays = 730;
const ofHundred = { ended: 30, trialing: 3, pastDue: 2 };
const renewalEveryDays = 30;
// Written within the last minutes, so that every read has to scan them.
const freshCount = 200;

/**
 * Stores subscriptions with a history, copies of one created by the system, directly in its
 * database.
 */
export async function storeHistory(
  { subscriptions, template }: Pick<RenewalSeed, 'subscriptions' | 'template'>,
  { count, now }: { readonly count: number; readonly now: Date },
): Promise<void> {
  for (let from = 0; from < count; from += insertBatchSize) {
    const size = Math.min(insertBatchSize, count - from);
    const documents = Array.from({ length: size }, (_, index) => {
      const history = historyOf(from + index, { count, now });
      const _id = newId();
      return { ...template, ...history, _id, itemId: newId(), slice: sliceOf(_id) };
    });
    await subscriptions.insertMany(documents, { ordered: false });
  }
}

/** Stores the paid invoices of two days' renewals, copies of the template's first invoice. */
export async function storeRecentInvoices(
  { invoices, template }: Pick<RenewalSeed, 'invoices' | 'template'>,
  { count, now }: { readonly count: number; readonly now: Date },
): Promise<void> {
  const first = await invoices.findOne({ environmentId: template.environmentId });
  if (first === null) throw new Error('The template has no invoice');
  const idle = { pendingSince: null, dueAt: null, recoverAt: null, awaitsProviderSince: null };
  const total = Math.round((2 * count) / renewalEveryDays);
  const midnight = Math.floor(now.getTime() / dayMs) * dayMs;
  const sinceYesterdayMs = now.getTime() - (midnight - dayMs);
  for (let from = 0; from < total; from += insertBatchSize) {
    const size = Math.min(insertBatchSize, total - from);
    const documents = Array.from({ length: size }, (_, index) => {
      const _id = newId();
      const createdAt = new Date(now.getTime() - ((from + index) / total) * sinceYesterdayMs);
      const paid = { status: 'PAID', paidAt: createdAt, createdAt, updatedAt: createdAt };
      return { ...first, ...idle, ...paid, _id, slice: sliceOf(_id) };
    });
    await invoices.insertMany(documents, { ordered: false });
  }
}

function historyOf(index: number, { count, now }: { count: number; now: Date }): Document {
  const anchor = daysBefore(now, ((count - index) / count) * historyDays);
  const lot = (index * 37) % 100;
  const renewal = { dueAt: endOfDayAfter(now, index % renewalEveryDays), dueClass: 'RENEWAL' };
  const isFresh = index >= count - freshCount;
  const reachedAt = isFresh ? daysBefore(now, 1 / 1_440) : anchor;
  const started = { STARTED: reachedAt };
  if (isFresh) return { anchor, ...renewal, milestones: started, milestonesAt: reachedAt };
  if (lot < ofHundred.ended) {
    const endedAt = new Date((anchor.getTime() + now.getTime()) / 2);
    const milestones = { ...started, ENDED: endedAt };
    const end = { status: 'CANCELED', phase: 'ENDED', endedAt, dueAt: null, dueClass: null };
    return { anchor, ...end, milestones, milestonesAt: endedAt };
  }
  if (lot < ofHundred.ended + ofHundred.trialing) {
    const trial = { phase: 'TRIAL', trialStart: anchor, trialEnd: renewal.dueAt };
    const begun = { TRIAL_BEGUN: reachedAt };
    return { ...trial, ...renewal, periodIndex: null, milestones: begun, milestonesAt: reachedAt };
  }
  const isPastDue = lot < ofHundred.ended + ofHundred.trialing + ofHundred.pastDue;
  const status = isPastDue ? 'PAST_DUE' : 'ACTIVE';
  return { anchor, status, ...renewal, milestones: started, milestonesAt: reachedAt };
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * dayMs);
}

// No subscription becomes due during the benchmark, and a whole day's renewals are still to come
// today.
function endOfDayAfter(now: Date, days: number): Date {
  return new Date((Math.floor(now.getTime() / dayMs) + days + 1) * dayMs - 1_000);
}
