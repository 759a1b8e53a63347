import {
  chassisCollections,
  type CollectionLayouts,
  shardedAggregates,
  shardedBy,
  shardedById,
  unsharded,
} from '@billing/chassis/collection-layout';

/**
 * Collections of checkout. Invoice numbers have no gaps, so those of an environment are taken one
 * after another; they lie on one shard, where their holders are unique. The same holds for the
 * charges of a sandbox.
 */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  balanceEntries: shardedById({ 'environmentId isShown': 'lists of entries' }),
  balances: shardedAggregates({ 'environmentId isShown': 'lists of balances' }),
  billingSettings: shardedAggregates(),
  brandings: shardedAggregates(),
  changeReservations: shardedAggregates({ lookAt: 'reservations to look at' }),
  checkoutLinks: shardedAggregates({ pageHash: 'a page by its address' }),
  checkoutSessions: shardedAggregates({
    pageHash: 'a page by its address',
    abandonAt: 'retention',
    'environmentId customerId': 'erasure of a customer',
  }),
  checkoutSessionTotals: unsharded,
  creditNoteNumbers: shardedBy({ environmentId: 1 }),
  creditNotes: shardedById({ environmentId: 'lists of credit notes' }),
  disputes: shardedById({ environmentId: 'lists of disputes' }),
  dunningTotals: unsharded,
  expiryProgress: unsharded,
  invoiceNumbers: shardedBy({ environmentId: 1 }),
  invoices: shardedAggregates({
    pageHash: 'a page by its address',
    awaitsProviderSince: 'payments that wait for a provider',
    'environmentId movedMonth': 'reports of taxes and payments',
    'environmentId updatedAt': 'the same, for invoices of earlier releases',
    'environmentId isTombstone status': 'whether any invoice was ever paid',
    'environmentId customerId': 'erasure of a customer',
    'disputes.status': 'open disputes, once after a restore',
  }),
  // The gateway asks for an image by its hash alone.
  logos: shardedBy({ sha256: 1 }),
  payers: shardedAggregates(),
  paymentMethods: shardedAggregates({
    'environmentId expiresAt': 'cards that expire soon',
    _id: 'cards of an earlier release, in pages',
  }),
  previewKeys: unsharded,
  providerReports: shardedById({ 'environmentId invoiceId': 'reports of an invoice' }),
  refunds: shardedById({ environmentId: 'lists of refunds' }),
  refusedAttempts: shardedById({ changedAt: 'retention' }),
  sandboxAuthorizations: shardedById(),
  sandboxChallenges: shardedBy({ environmentId: 1 }),
  sandboxCharges: shardedBy({ environmentId: 1 }),
  sandboxDisputes: shardedAggregates(),
  sandboxMethods: shardedById(),
  sandboxRefunds: shardedById(),
  stripeCustomers: shardedById(),
  stripePayments: shardedById({ failureCode: 'payments of an earlier version, claimed once' }),
  subscriptionMethods: shardedAggregates(),
  unmatchedCharges: unsharded,
  waitingAuthorizations: shardedById({ _id: 'all of them, in pages' }),
};
