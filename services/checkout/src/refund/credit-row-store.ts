import type { Collection, Db, Filter } from 'mongodb';
import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { scanPage, type ScanRange } from '@billing/chassis/scan-page';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { definedFields, readPage, type WantedPage } from '../balance/entry-store';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import type { Count } from '../invoice/document/stored-fields';

type Context = Pick<CallContext, 'tenant'>;

/** Collections of rows, one for each part of an invoice that is listed alone. */
export type CreditKind = 'creditNotes' | 'refunds' | 'disputes';

/**
 * Row by which a list finds a credit note, refund or dispute. Its content is read from its invoice,
 * which decides.
 */
export interface CreditRow {
  readonly _id: string;
  readonly environmentId: string;
  readonly invoiceId: string;
  readonly customerId: string;
  /** Undefined for credit notes. */
  readonly paymentId?: string;
  readonly status?: string;
  /** Environment time. */
  readonly createdAt: Date;
  /** Version of the invoice from which the row was copied. */
  readonly version: Count;
}

/** Filter of a list; absent: any. */
export interface CreditFilter {
  readonly customerId?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly status?: string | undefined;
}

/** Id of a listed part and of its invoice. */
export interface CreditReference {
  readonly id: string;
  readonly invoiceId: string;
}

/** Rows of credit notes, refunds and disputes, copied from their invoices. */
export class CreditRowStore {
  private readonly collections: Readonly<Record<CreditKind, Collection<CreditRow>>>;

  constructor(db: Db) {
    this.collections = {
      creditNotes: db.collection('creditNotes'),
      refunds: db.collection('refunds'),
      disputes: db.collection('disputes'),
    };
  }

  async ensureIndexes(): Promise<void> {
    const newestFirst = { createdAt: -1, _id: -1 } as const;
    const of = (field: string) => ({ environmentId: 1, [field]: 1, ...newestFirst }) as const;
    const common = [
      { name: 'list', key: { environmentId: 1, ...newestFirst } },
      { name: 'customer', key: of('customerId') },
      { name: 'invoice', key: of('invoiceId') },
    ];
    const status = { name: 'status', key: of('status') };
    const { creditNotes, refunds, disputes } = this.collections;
    await Promise.all([
      ensureIndexes(creditNotes, common),
      ensureIndexes(refunds, [...common, { name: 'payment', key: of('paymentId') }, status]),
      ensureIndexes(disputes, [...common, status]),
    ]);
  }

  /** Copies the parts of an invoice. A row of a later version stays as it is. */
  async copy({ state, version, tenant }: Stored<InvoiceRecord>): Promise<void> {
    if (state.isTombstone) return;
    const { id: invoiceId, customerId } = state;
    const common = { environmentId: tenant.environmentId, invoiceId, customerId, version };
    const rows = rowsOf(state);
    await Promise.all(
      (Object.keys(rows) as CreditKind[]).flatMap((kind) =>
        rows[kind].map((row) => this.set(kind, { ...row, ...common })),
      ),
    );
  }

  /** Invoice of a credit note, refund or dispute; undefined if there is none with the id. */
  async invoiceOf(
    kind: CreditKind,
    id: string,
    { tenant: { environmentId } }: Context,
  ): Promise<string | undefined> {
    const filter = { _id: id, environmentId };
    const row = await retryTransient(() => this.collections[kind].findOne(filter));
    return row?.invoiceId;
  }

  /** One page, by time, and the exact count over all pages. */
  async list(
    kind: CreditKind,
    { page, perPage, oldestFirst, ...filter }: CreditFilter & WantedPage,
    { tenant: { environmentId } }: Context,
  ): Promise<{ data: CreditReference[]; total: number }> {
    const query: Filter<CreditRow> = { ...definedFields(filter), environmentId };
    const wanted = { query, by: ['createdAt', '_id'], page, perPage, oldestFirst };
    const { found, total } = await readPage(this.collections[kind], wanted);
    return { data: found.map(({ _id: id, invoiceId }) => ({ id, invoiceId })), total };
  }

  /** The next rows, oldest first. */
  scan(
    kind: CreditKind,
    range: ScanRange,
    { tenant: { environmentId } }: Context,
    limit: number,
  ): Promise<CreditRow[]> {
    const wanted = { filter: { environmentId }, by: 'createdAt', limit };
    return scanPage(this.collections[kind], wanted, range);
  }

  private async set(kind: CreditKind, { _id, ...row }: CreditRow): Promise<void> {
    try {
      await retryTransient(() =>
        this.collections[kind].updateOne(
          { _id, version: { $lt: row.version } },
          { $set: row },
          { upsert: true },
        ),
      );
    } catch (error) {
      // A row of this or a later version exists.
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }
}

type OwnFields = Pick<CreditRow, '_id' | 'createdAt' | 'paymentId' | 'status'>;

function rowsOf({ creditNotes, refunds, disputes }: Invoice): Record<CreditKind, OwnFields[]> {
  return {
    creditNotes: creditNotes.map(({ id: _id, issuedAt: createdAt }) => ({ _id, createdAt })),
    refunds: refunds.map(({ id: _id, createdAt, paymentId, status }) => ({
      ...{ _id, createdAt, paymentId, status },
    })),
    disputes: disputes.map(({ id: _id, openedAt: createdAt, paymentId, status }) => ({
      ...{ _id, createdAt, paymentId, status },
    })),
  };
}
