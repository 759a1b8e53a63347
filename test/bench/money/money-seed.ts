import type { Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slices';
import { createResource, inNewSandbox, setSeller } from '../stage/api';
import { type Documents, documentsOf, settled } from '../stage/floor-data';
import type { StagedSystem } from '../stage/stage';
import type { MoneyOperationName } from '../floors/money-writes';

/** Number of customers, each with one request at a time, so that none waits for a balance. */
export const inFlight = 16;
// Enough for every invoice of the benchmark.
const balance = 50_000_000_000;
const insertBatchSize = 500;

/** A request that creates something. */
interface Creation {
  readonly path: string;
  readonly body: object;
}

/** Requests of one customer, one after another. */
export type Creations = readonly Creation[];

type System = Pick<StagedSystem, 'gatewayUrl' | 'keys' | 'site'>;

/** A sandbox with a seller, taxes, customers with balances, and invoices to pay or to credit. */
export class MoneySeed {
  private constructor(
    private readonly system: System,
    readonly invoices: Documents,
    private readonly customerIds: readonly string[],
    /** Invoices as the system stores them: OPEN, and PAID by a transfer. */
    private readonly templates: { readonly open: Document; readonly paid: Document },
  ) {}

  static async open(running: System, client: MongoClient): Promise<MoneySeed> {
    const system = await inNewSandbox(running, 'money');
    await setSeller(system);
    const database = `${system.site.databasePrefix}_checkout`;
    const invoices = documentsOf(client, database, 'invoices');
    const customerIds: string[] = [];
    for (let index = 0; index < inFlight; index += 1) {
      const customerId = await newCustomer(system);
      const entry = { customerId, amount: balance, currency: 'USD', description: 'Goodwill' };
      await createResource(system, '/balance-entries', entry);
      customerIds.push(customerId);
    }
    const withoutBalance = await newCustomer(system);
    const issued = async () => {
      const { id } = await createResource(system, '/invoices', invoiceOf(withoutBalance));
      return id;
    };
    const [openId, paidId] = [await issued(), await issued()];
    await createResource(system, `/invoices/${paidId}/payments`, transfer);
    const templates = {
      open: await settled(invoices, { _id: openId, status: 'OPEN' }),
      paid: await settled(invoices, { _id: paidId, status: 'PAID' }),
    };
    return new MoneySeed(system, invoices, customerIds, templates);
  }

  /** Stores what the requests of an operation need; returns them by customer. */
  async prepare(operation: MoneyOperationName, count: number): Promise<Creations[]> {
    const invoices = Array.from({ length: count }, (_one, index) => ({
      _id: newId(),
      customerId: this.customerIds[index % this.customerIds.length] ?? '',
    }));
    if (operation !== 'opening') {
      await this.store(this.templates[operation === 'payment' ? 'open' : 'paid'], invoices);
    }
    const byCustomer = Map.groupBy(invoices, ({ customerId }) => customerId);
    return [...byCustomer].map(([customerId, own]) =>
      own.map(({ _id }) => creationOf(operation, { customerId, invoiceId: _id })),
    );
  }

  /** Sends requests, those of each customer one after another; returns the number of answers. */
  async send(creations: readonly Creations[]): Promise<number> {
    let answers = 0;
    const customer = async (own: Creations) => {
      for (const { path, body } of own) {
        await createResource(this.system, path, body);
        answers += 1;
      }
    };
    await Promise.all(creations.map(customer));
    return answers;
  }

  private async store(
    template: Document,
    invoices: readonly { readonly _id: string; readonly customerId: string }[],
  ): Promise<void> {
    for (let from = 0; from < invoices.length; from += insertBatchSize) {
      const some = invoices.slice(from, from + insertBatchSize);
      // No service knows them yet: their first event is that of their operation.
      const copies = some.map((own) => ({
        ...{ ...template, eventSequence: 0, slice: sliceOf(own._id) },
        ...own,
      }));
      await this.invoices.insertMany(copies, { ordered: false });
    }
  }
}

const transfer = { method: 'BANK_TRANSFER', reference: 'TX-1' };

function invoiceOf(customerId: string) {
  const lines = [{ description: 'Setup', amount: 2900 }];
  return { customerId, collectionMethod: 'SEND_INVOICE', finalize: true, lines };
}

function creationOf(
  operation: MoneyOperationName,
  { customerId, invoiceId }: { readonly customerId: string; readonly invoiceId: string },
): Creation {
  switch (operation) {
    case 'opening':
      return { path: '/invoices', body: invoiceOf(customerId) };
    case 'payment':
      return { path: `/invoices/${invoiceId}/payments`, body: transfer };
    case 'creditNote':
      return { path: '/credit-notes', body: { invoiceId, reason: 'GOODWILL' } };
  }
}

async function newCustomer(system: System): Promise<string> {
  const customer = { email: 'bench@example.com', name: 'Grace', address: { country: 'DE' } };
  const { id } = await createResource(system, '/customers', customer);
  return id;
}
