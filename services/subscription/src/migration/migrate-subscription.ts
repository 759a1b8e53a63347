import { storeRequest } from '../lifecycle/apply-change';
import { resolveAt, type ChangeRequest } from '../lifecycle/check-change';
import { unchanged } from '@billing/kernel/transition';
import type { PriceExchange } from '../subscription/price-exchange';
import type { Subscription } from '../subscription/subscription';
import { findChange } from '../subscription/subscription-change';
import type { SubscriptionTransition } from '../subscription/transition';
import {
  changedRow,
  hasPrice,
  type MigratedSubscription,
  skippedRow,
  skipReason,
  wantedExchange,
} from './migrated-subscription';

/** How a job changes a subscription. */
export interface MigrationOrder {
  readonly migrationId: string;
  readonly exchange: PriceExchange;
  /** True: another product may price the meters afterwards. */
  readonly movesMeters: boolean;
  /** Instant that the changes wait for; absent: the next period. */
  readonly notBefore?: Date;
  /** Id of the job's change of this subscription. */
  readonly changeId: string;
}

/** A subscription after a job; a row of undefined: it does not have the price any more. */
export interface Migrated {
  readonly transition: SubscriptionTransition;
  readonly row: MigratedSubscription | undefined;
}

/**
 * Moves a subscription to another price: at its next period, at the first one at or after an
 * instant, or immediately while none runs. Such a change costs nothing in the running period, so it
 * needs no facts. A bill over the limit does not matter to it. The caller has taken the due steps,
 * and has found no change of the job.
 */
export function migrate(current: Subscription, order: MigrationOrder, now: Date): Migrated {
  const { exchange, migrationId } = order;
  const transition = unchanged(current);
  if (!hasPrice(current, exchange.fromPriceId)) return { transition, row: undefined };
  const reason = skipReason(current, exchange);
  if (reason !== null) return { transition, row: skippedRow(current, reason) };
  const request = requestOf(order);
  const stored = storeRequest(
    current,
    { ...request, migrationId },
    {
      at: resolveAt(current, request),
      now,
    },
  );
  const change = findChange(stored.state.changes, order.changeId);
  if (change === undefined) throw new Error(`Change ${order.changeId} was not stored`);
  return { transition: stored, row: changedRow(stored.state, change) };
}

function requestOf(order: MigrationOrder): ChangeRequest {
  const { exchange, changeId, movesMeters, notBefore } = order;
  return {
    changeId,
    ...(notBefore !== undefined && { notBefore }),
    ...(movesMeters && { movesMeters }),
    ...{ kind: 'UPDATE', at: 'PERIOD_END', wanted: wantedExchange(exchange), metadata: {} },
    ...{ proration: 'PRORATE', collect: 'NOW', requirePayment: false, resumeAt: null },
    ...{ instant: null, balanceRound: null, reservedRound: null, facts: null },
    // It has neither an invoice nor credit notes.
    ...{ invoiceId: '', creditNoteIdOf: () => '', taxFacts: { buyer: null, taxCategory: null } },
  };
}
