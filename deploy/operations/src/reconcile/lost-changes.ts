import { Restores } from '@billing/chassis/restores';
import type { Db } from 'mongodb';
import { databaseOf, type ServiceDatabase } from '../database/databases';
import { type LostChange, lostChangeText } from './check';
import type { Report } from './report';

interface StoredChange {
  readonly status?: string;
  readonly invoice?: { readonly invoiceId: string } | null;
  readonly creditNotes?: readonly { readonly id: string }[];
}

interface ChangedSubscription {
  readonly _id: string;
  readonly changes?: {
    readonly paying: StoredChange | null;
    readonly finished: readonly StoredChange[];
  };
  readonly cancellation?: StoredChange;
}

interface InvoiceOfSubscription {
  readonly _id: string;
  readonly subscriptionId: string | null;
  readonly billingReason: string;
  readonly lineItems?: readonly { readonly kind?: string }[];
  readonly creditNotes?: readonly { readonly id: string; readonly reason: string }[];
}

/**
 * Reads what was charged or credited for changes that subscription does not have. What a person
 * knew when a system was opened after an earlier restore is left out: nothing can bring it back.
 */
export async function readLostChanges(
  databases: readonly ServiceDatabase[],
  living: object,
): Promise<LostChange[]> {
  const known = await readKnownTexts(databaseOf(databases, 'identity'));
  const lost = await readUnmade(databases, living);
  return lost.filter((one) => !known.has(lostChangeText(one)));
}

/** Texts of what was found before a system was opened. */
async function readKnownTexts(identity: Db): Promise<ReadonlySet<string>> {
  const opened = await new Restores(identity).opened();
  const reports = opened.flatMap(({ report }) =>
    report === undefined ? [] : [JSON.parse(report) as Report],
  );
  return new Set(reports.flatMap(({ findings }) => findings.map(({ text }) => text)));
}

async function readUnmade(
  databases: readonly ServiceDatabase[],
  living: object,
): Promise<LostChange[]> {
  const { made, undone } = await readMade(databaseOf(databases, 'subscription'));
  const lost: LostChange[] = [];
  const candidates = {
    ...living,
    subscriptionId: { $ne: null },
    status: { $nin: ['DRAFT', 'VOID'] },
    $or: [{ billingReason: 'SUBSCRIPTION_CHANGE' }, { 'creditNotes.reason': 'CHANGE' }],
  };
  const projection = { subscriptionId: 1, billingReason: 1, 'lineItems.kind': 1, creditNotes: 1 };
  const found = databaseOf(databases, 'checkout')
    .collection<InvoiceOfSubscription>('invoices')
    .find(candidates, { projection });
  for await (const { _id: id, subscriptionId, creditNotes = [], ...invoice } of found) {
    if (subscriptionId === null || undone.has(id)) continue;
    if (chargesChange(invoice) && !made.has(id))
      lost.push({ holder: 'invoice', id, subscriptionId });
    for (const note of creditNotes) {
      if (note.reason !== 'CHANGE' || made.has(note.id)) continue;
      lost.push({ holder: 'credit note', id: note.id, subscriptionId });
    }
  }
  return lost;
}

/** The end of a cycle has an invoice of usage alone, which no change names. */
function chargesChange({
  billingReason,
  lineItems = [],
}: Pick<InvoiceOfSubscription, 'billingReason' | 'lineItems'>): boolean {
  const isOfChange = billingReason === 'SUBSCRIPTION_CHANGE';
  return isOfChange && lineItems.some(({ kind }) => kind !== undefined && kind !== 'USAGE');
}

/** What changes and ends name. */
interface Made {
  /** Ids of invoices and credit notes. */
  readonly made: ReadonlySet<string>;
  /** Ids of the invoices of changes that have failed; one that was paid is credited in full. */
  readonly undone: ReadonlySet<string>;
}

async function readMade(subscription: Db): Promise<Made> {
  const made = new Set<string>();
  const undone = new Set<string>();
  const add = ({ status, invoice, creditNotes = [] }: StoredChange) => {
    if (invoice) (status === 'FAILED' ? undone : made).add(invoice.invoiceId);
    for (const { id } of creditNotes) made.add(id);
  };
  const recorded = subscription.collection<StoredChange>('changes');
  const documents = { status: 1, invoice: 1, creditNotes: 1 };
  for await (const change of recorded.find({}, { projection: documents })) add(change);
  const changed = subscription.collection<ChangedSubscription>('subscriptions');
  const running = { 'changes.paying': 1, 'changes.finished': 1, cancellation: 1 };
  for await (const { changes, cancellation } of changed.find({}, { projection: running })) {
    if (changes?.paying) add(changes.paying);
    for (const change of changes?.finished ?? []) add(change);
    if (cancellation !== undefined) add(cancellation);
  }
  return { made, undone };
}
