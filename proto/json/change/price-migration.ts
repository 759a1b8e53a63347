import { z } from 'zod';
import type {
  MigratedSubscription,
  PriceMigration,
} from '../../gen/billing/subscription/v1/price_migration';
import {
  migrationResults,
  migrationSkipReasons,
  priceMigrationStatuses,
} from '../../values/subscription';
import {
  amount,
  id,
  metadata,
  time,
  toJsonAmount,
  toJsonMetadata,
  toJsonOptionalTime,
  toJsonTime,
} from '../scalars';

const count = z.int().min(0);

export const PriceMigrationJson = z
  .object({
    id,
    fromPriceId: id,
    toPriceId: id,
    fromProductId: id,
    toProductId: id,
    currency: z.string(),
    at: z.union([z.enum(['PERIOD_END']), time]).meta({
      description: 'An instant: each subscription moves at its first period start at or after it.',
    }),
    dryRun: z.boolean(),
    status: z.enum(['RUNNING', 'COMPLETE', 'CANCELED']),
    total: count.meta({ description: 'Subscriptions with the old price.' }),
    processed: count.meta({ description: 'Subscriptions processed so far.' }),
    scheduled: count.meta({
      description:
        'Subscriptions that got a change to the new price, including changes applied or canceled since. In a dry run: that would get one.',
    }),
    skipped: count.meta({ description: 'Subscriptions that keep their price.' }),
    monthlyAmountBefore: amount.meta({
      description:
        'Recurring revenue a month of the subscriptions that move. Those without a running period count as 0.',
    }),
    monthlyAmountAfter: amount.meta({ description: 'The same at the new price.' }),
    metadata,
    createdAt: time,
    completedAt: time.nullable(),
  })
  .meta({ id: 'PriceMigration' });
export type PriceMigrationJson = z.infer<typeof PriceMigrationJson>;

export const PriceMigrationSubscriptionJson = z
  .object({
    subscriptionId: id,
    customerId: id,
    result: z.enum(['SCHEDULED', 'APPLIED', 'CANCELED', 'SKIPPED']),
    reason: z
      .enum([
        'CHANGE_PENDING',
        'SET_TO_CANCEL',
        'INTERVALS_DIFFER',
        'PRODUCT_TWICE',
        'ENDED',
        'AMOUNT_TOO_LARGE',
      ])
      .nullable()
      .meta({
        description:
          'Why the subscription keeps its price. Null unless `SKIPPED`; null also if the change ' +
          'failed with every try.',
      }),
    effectiveAt: time.nullable(),
    changeId: id.nullable().meta({ description: 'Null: skipped, or a dry run.' }),
    monthlyAmountBefore: amount,
    monthlyAmountAfter: amount,
  })
  .meta({ id: 'PriceMigrationSubscription' });
export type PriceMigrationSubscriptionJson = z.infer<typeof PriceMigrationSubscriptionJson>;

/** A price migration in REST responses. */
export function toJsonPriceMigration(migration: PriceMigration): PriceMigrationJson {
  const { total, processed, scheduled, skipped } = migration;
  return {
    id: migration.id,
    fromPriceId: migration.fromPriceId,
    toPriceId: migration.toPriceId,
    fromProductId: migration.fromProductId,
    toProductId: migration.toProductId,
    currency: migration.currency,
    at: toJsonOptionalTime(migration.notBefore) ?? 'PERIOD_END',
    dryRun: migration.dryRun,
    status: priceMigrationStatuses.nameOf(migration.status),
    ...{ total, processed, scheduled, skipped },
    monthlyAmountBefore: toJsonAmount(migration.monthlyAmountBefore),
    monthlyAmountAfter: toJsonAmount(migration.monthlyAmountAfter),
    metadata: toJsonMetadata(migration.metadata),
    createdAt: toJsonTime(migration.createdAt),
    completedAt: toJsonOptionalTime(migration.completedAt),
  };
}

/** Result of a price migration for one subscription, in REST responses. */
export function toJsonMigratedSubscription(
  row: MigratedSubscription,
): PriceMigrationSubscriptionJson {
  return {
    subscriptionId: row.subscriptionId,
    customerId: row.customerId,
    result: migrationResults.nameOf(row.result),
    reason: migrationSkipReasons.knownName(row.reason) ?? null,
    effectiveAt: toJsonOptionalTime(row.effectiveAt),
    changeId: row.changeId ?? null,
    monthlyAmountBefore: toJsonAmount(row.monthlyAmountBefore),
    monthlyAmountAfter: toJsonAmount(row.monthlyAmountAfter),
  };
}
