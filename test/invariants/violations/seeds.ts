/** Damage to one stored document, which an invariant must find. */
export interface Seed {
  readonly id: string;
  readonly what: string;
  readonly service: string;
  readonly collection: string;
  readonly filter: object;
  /** The damaged document; undefined: it is lost. Under another id it is stored in addition. */
  readonly damage: (document: any) => any;
  /** Filter of the documents by which the system repairs the damage, if it does. */
  readonly repairedBy?: (document: any) => object;
}

const paid = {
  service: 'checkout',
  collection: 'invoices',
  filter: { status: 'PAID', billingReason: 'SUBSCRIPTION_CREATE', 'payments.0': { $exists: true } },
};
const credited = {
  service: 'checkout',
  collection: 'invoices',
  filter: { 'refunds.0': { $exists: true } },
};
const applied = {
  service: 'subscription',
  collection: 'changes',
  filter: { status: 'APPLIED' },
};
/** The invoice of a change. */
const charged = {
  service: 'checkout',
  collection: 'invoices',
  filter: { billingReason: 'SUBSCRIPTION_CHANGE', 'lineItems.kind': 'UNUSED_TIME' },
};
const copied = (invoice: object) => ({ ...invoice, _id: '0197a000-0000-7000-8000-000000000061' });
const firstEvent = {
  service: 'subscription',
  collection: 'eventLog',
  filter: { _id: /:1$/ },
};

const billed = {
  service: 'metering',
  collection: 'usageEvents',
  filter: { _id: /:billed$/ },
};
const delivered = {
  service: 'notifier',
  collection: 'deliveries',
  filter: { status: 'DELIVERED' },
};

const receipt = {
  service: 'notifier',
  collection: 'emails',
  filter: { kind: 'RECEIPT' },
};

export const seeds: readonly Seed[] = [
  {
    id: 'I82',
    what: 'an invoice in a status that was never announced',
    ...paid,
    damage: (invoice) => ({ ...invoice, status: 'VOID' }),
  },
  { id: 'I83', what: 'a mail that was lost', ...receipt, damage: () => undefined },
  {
    id: 'I83',
    what: 'a second mail of one event',
    ...receipt,
    damage: (mail) => ({ ...mail, _id: '0197a000-0000-7000-8000-000000000083' }),
  },
  {
    id: 'I84',
    what: 'an attempt to send a mail of a sandbox',
    ...receipt,
    damage: (mail) => ({ ...mail, attempts: 1 }),
  },
  {
    id: 'I86',
    what: 'a mail in another language than it was announced in',
    ...receipt,
    damage: (mail) => ({ ...mail, locale: 'pl' }),
  },
  { id: 'I4', what: 'a billed usage event that was lost', ...billed, damage: () => undefined },
  {
    id: 'I4',
    what: 'usage of another quantity than was billed',
    ...billed,
    // Usage that arrived within a minute of its bill may be on the next one.
    damage: (event) => ({
      ...event,
      quantity: '4',
      receivedAt: new Date(event.receivedAt.getTime() - 2 * 60_000),
    }),
  },
  { id: 'I9', what: 'a delivery that was lost', ...delivered, damage: () => undefined },
  {
    id: 'I9',
    what: 'a second delivery of one event',
    ...delivered,
    damage: (delivery) => ({ ...delivery, _id: '0197a000-0000-7000-8000-000000000009' }),
  },
  {
    id: 'I9',
    what: 'a delivered event whose attempt was lost',
    service: 'notifier',
    collection: 'attempts',
    filter: {},
    damage: () => undefined,
  },
  {
    id: 'I1',
    what: 'a line discount missing on the invoice',
    ...paid,
    damage: ({ lineItems: [first, ...others], ...invoice }) => ({
      ...invoice,
      lineItems: [{ ...first, discountAmount: 1n }, ...others],
    }),
  },
  {
    id: 'I64',
    what: 'a subscription that was lost, while its invoices stayed',
    service: 'subscription',
    collection: 'subscriptions',
    filter: { isTombstone: false, phase: 'REGULAR' },
    damage: () => undefined,
  },
  { id: 'I2', what: 'a period without an invoice', ...paid, damage: () => undefined },
  {
    id: 'I3',
    what: 'a redemption that was lost',
    service: 'discount',
    collection: 'redemptionSlots',
    filter: { state: 'CONFIRMED' },
    damage: (slot) => ({ ...slot, state: 'FREE', holderKind: null }),
  },
  {
    id: 'I5',
    what: 'more credits consumed than granted',
    service: 'metering',
    collection: 'creditAccounts',
    filter: {},
    damage: ({ grants, ...account }) => ({
      ...account,
      grants,
      consumptions: [
        {
          period: 'x:0',
          settlement: 'x',
          quantity: '11',
          uses: [{ grantId: grants[0].id, quantity: '11' }],
        },
      ],
    }),
  },
  {
    id: 'I29',
    what: 'sums of closed grants that do not exist',
    service: 'metering',
    collection: 'creditAccounts',
    filter: {},
    damage: (account) => ({
      ...account,
      closed: {
        ...{ count: 1, granted: '5', consumed: '5', expired: '0' },
        ...{ grantedForever: '5', expiring: [] },
      },
    }),
  },
  {
    id: 'I26',
    what: 'a part that is gone',
    service: 'metering',
    collection: 'usageParts',
    filter: {},
    damage: () => undefined,
  },
  {
    id: 'I27',
    what: 'a kept span that differs from its hours',
    service: 'metering',
    collection: 'usageSpans',
    filter: { building: false },
    damage: ({ total, ...span }) => ({ ...span, total: { ...total, quantity: '4' } }),
  },
  {
    id: 'I28',
    what: 'an acknowledged event that a blocker replaces',
    service: 'metering',
    collection: 'usageEvents',
    filter: { _id: /:one$/, flush: { $exists: true } },
    damage: ({ _id, flush }) => ({ _id, blocked: [flush] }),
  },
  {
    id: 'I6',
    what: 'a paid invoice without a charge',
    ...paid,
    damage: (invoice) => ({ ...invoice, payments: [] }),
  },
  {
    id: 'I63',
    what: 'a charge that is recorded twice',
    ...paid,
    damage: ({ payments, ...invoice }) => ({ ...invoice, payments: [...payments, ...payments] }),
  },
  {
    id: 'I17',
    what: 'a line with the tax of another rate',
    service: 'checkout',
    collection: 'invoices',
    filter: { 'finalization.taxes.rows.0': { $exists: true } },
    damage: ({ lineItems: [line], ...invoice }) => ({
      ...invoice,
      lineItems: [{ ...line, tax: { ...line.tax, percent: '7' } }],
    }),
  },
  {
    id: 'I18',
    what: 'a line with another text than at the finalization',
    ...paid,
    damage: ({ lineItems: [first, ...others], ...invoice }) => ({
      ...invoice,
      lineItems: [{ ...first, description: 'Other' }, ...others],
    }),
  },
  {
    id: 'I19',
    what: 'a paid invoice whose payment paid nothing of it',
    ...paid,
    damage: ({ payments: [payment], ...invoice }) => ({
      ...invoice,
      payments: [{ ...payment, overpayment: payment.amount }],
    }),
  },
  {
    id: 'I23',
    what: 'a subscription that names its erased customer',
    service: 'subscription',
    collection: 'subscriptions',
    filter: { 'customer.email': '' },
    damage: ({ customer, ...subscription }) => ({
      ...subscription,
      customer: { ...customer, name: 'Leaver' },
    }),
  },
  {
    id: 'I21',
    what: 'a gap in the numbers of credit notes',
    ...credited,
    damage: ({ creditNotes: [note], ...invoice }) => ({
      ...invoice,
      creditNotes: [{ ...note, number: 'CN-000009' }],
    }),
  },
  {
    id: 'I22',
    what: 'a refund that its provider does not have',
    ...credited,
    damage: ({ refunds: [refund], ...invoice }) => ({
      ...invoice,
      refunds: [{ ...refund, providerRefundId: null }],
    }),
  },
  {
    id: 'I7',
    what: 'a session that is paid and open',
    service: 'checkout',
    collection: 'checkoutSessions',
    filter: { phase: 'COMPLETE' },
    damage: (session) => ({ ...session, phase: 'READY' }),
  },
  {
    id: 'I14',
    what: 'a change to items that the subscription does not have',
    ...applied,
    damage: ({ to, ...change }) => ({
      ...change,
      to: { ...to, items: to.items.map((item: object) => ({ ...item, quantity: 9 })) },
    }),
  },
  {
    id: 'I14',
    what: 'a period that charges another product than the subscription has',
    ...paid,
    damage: ({ lineItems: [first, ...others], ...invoice }) => ({
      ...invoice,
      lineItems: [{ ...first, itemProductId: '0197a000-0000-7000-8000-000000000014' }, ...others],
    }),
  },
  {
    id: 'I15',
    what: 'unused time of a charge that nothing has made',
    ...charged,
    damage: ({ lineItems, ...invoice }) => ({
      ...invoice,
      lineItems: lineItems.map(({ details, ...line }: any) => {
        const { proration } = details;
        return { ...line, details: { ...details, proration: { ...proration, of: '1' } } };
      }),
    }),
  },
  {
    id: 'I16',
    what: 'a reservation that has outlived its change',
    ...charged,
    damage: (invoice) => ({
      ...invoice,
      reservation: { changeId: '0197a000-0000-7000-8000-000000000016', round: 1, lines: [] },
    }),
  },
  {
    id: 'I16',
    what: 'a failed change whose invoice is paid',
    ...applied,
    damage: (change) => ({ ...change, status: 'FAILED' }),
  },
  { id: 'I60', what: 'a number of two invoices', ...paid, damage: copied },
  { id: 'I61', what: 'a period of two invoices', ...paid, damage: copied },
  { id: 'I8', what: 'an event that the log has lost', ...firstEvent, damage: () => undefined },
  {
    id: 'I80',
    what: 'an entry of the feed that is gone',
    service: 'notifier',
    collection: 'feed',
    filter: { _id: /:000000000002$/ },
    damage: () => undefined,
    // An export gives its message the next position.
    repairedBy: ({ environmentId, messageId }) => ({ environmentId, messageId }),
  },
  {
    id: 'I20',
    what: 'a balance entry that is gone',
    service: 'checkout',
    collection: 'balanceEntries',
    filter: {},
    damage: () => undefined,
  },
  {
    id: 'I10',
    what: 'an acknowledged customer that is gone',
    service: 'customer',
    collection: 'customers',
    filter: { email: 'ada@example.com' },
    damage: () => undefined,
  },
  {
    id: 'I11',
    what: 'a pending outbox',
    service: 'subscription',
    collection: 'subscriptions',
    filter: {},
    damage: (subscription) => ({ ...subscription, pendingSince: new Date('2100-01-01') }),
  },
  {
    id: 'I12',
    what: 'a gap in the numbers of invoices',
    ...paid,
    damage: (invoice) => ({ ...invoice, number: 'INV-009999' }),
  },
  {
    id: 'I13',
    what: 'an event under another environment',
    ...firstEvent,
    damage: (entry) => ({
      ...entry,
      envelope: entry.envelope.replace(
        /"environmentid":"[^"]+"/,
        '"environmentid":"0197a000-0000-7000-8000-000000000009"',
      ),
    }),
  },
];
