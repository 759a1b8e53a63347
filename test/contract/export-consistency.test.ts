import fc from 'fast-check';
import {
  type AnnouncedResource,
  announcedResources,
} from '../invariants/picture/announced-resource';
import { textOf, withEvents } from '../invariants/exports';
import type { ApiClient } from '../support/api-client';
import { exportedRows } from '../support/export/export-client';
import { product } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const start = '2026-01-31T00:00:00.000Z';
// More than a page, all of the same time.
const customersAtFirst = 120;

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

const names = Object.keys(announcedResources) as AnnouncedResource[];

/** Writes that run while an export does. */
class Writer {
  private readonly ids: Record<string, string[]> = {};
  private count = 0;

  constructor(private readonly api: ApiClient) {}

  async create(resource: string, body: object): Promise<void> {
    const { id } = await this.api.expect(201, this.api.post(`/${resource}`, body));
    (this.ids[resource] ??= []).push(id);
  }

  async customers(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 20) {
      const some = Array.from({ length: Math.min(20, left) }, () => this.next());
      await Promise.all(some.map((email) => this.create('customers', { email })));
    }
  }

  private next(): string {
    this.count += 1;
    return `c${String(this.count)}@example.com`;
  }

  private async change(resource: string, index: number, body: object): Promise<void> {
    const id = this.idOf(resource, index);
    if (id !== undefined) await this.api.request('PATCH', `/${resource}/${id}`, { body });
  }

  private idOf(resource: string, index: number): string | undefined {
    const ids = this.ids[resource] ?? [];
    return ids[index % Math.max(ids.length, 1)];
  }

  private readonly steps: readonly ((index: number) => Promise<unknown>)[] = [
    () => this.create('customers', { email: this.next() }),
    (index) => this.change('customers', index, { name: this.next() }),
    (index) => this.api.delete(`/customers/${this.idOf('customers', index) ?? ''}`),
    () => this.create('products', { ...product, name: this.next() }),
    (index) => this.change('products', index, { description: this.next() }),
    () =>
      this.create('discounts', {
        ...{ name: this.next(), type: 'PERCENTAGE', value: 10, duration: 'ONCE' },
      }),
    (index) => this.change('discounts', index, { name: this.next() }),
    () => this.create('meters', { name: this.next() }),
    (index) => this.change('meters', index, { unit: this.next() }),
    (index) => this.api.delete(`/meters/${this.idOf('meters', index) ?? ''}`),
    (index) =>
      this.api.post('/invoices', {
        ...{ customerId: this.idOf('customers', index), finalize: true },
        ...{ collectionMethod: 'SEND_INVOICE', lines: [{ description: 'Setup', amount: 500 }] },
      }),
    (index) =>
      this.api.post('/subscriptions', {
        customerId: this.idOf('customers', index),
        productId: this.idOf('products', index),
      }),
  ];

  get kinds(): number {
    return this.steps.length;
  }

  async write(kind: number, index: number): Promise<void> {
    await this.steps[kind]?.(index);
  }
}

const writes = fc.array(fc.record({ kind: fc.nat(11), index: fc.nat(200) }), {
  minLength: 40,
  maxLength: 60,
});

test('rows and the events after their position are the state, while writes go on', async () => {
  await fc.assert(
    fc.asyncProperty(writes, async (planned) => {
      const api = await system.live.manualSandbox(start);
      const writer = new Writer(api);
      await writer.customers(customersAtFirst);
      for (let kind = 3; kind < writer.kinds; kind += 1) await writer.write(kind, kind);
      const writing = runAll(writer, planned);
      const exported = new Map<AnnouncedResource, Awaited<ReturnType<typeof exportedRows>>>();
      for (const name of names) exported.set(name, await exportedRows(api, name));
      await writing;
      // Waits until everything is in the feed.
      await api.advanceTo(start);
      const events = await readFeed(api);
      for (const [name, { rows, position, endPosition }] of exported) {
        expect(endPosition).toBeLessThanOrEqual(events.length);
        const later = events.slice(position);
        expect(shown(name, withEvents(name, rows, later))).toEqual(
          shown(name, await stateOf(api, name)),
        );
      }
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

async function runAll(
  writer: Writer,
  planned: readonly { readonly kind: number; readonly index: number }[],
): Promise<void> {
  const left = [...planned];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await writer.write(next.kind, next.index);
    }
  };
  await Promise.all([work(), work()]);
}

async function readFeed(api: ApiClient): Promise<any[]> {
  const { data, newest } = await api.expect(200, api.get('/webhook-events?limit=1000'));
  expect(newest).toBe(String(data.length));
  return data;
}

async function stateOf(api: ApiClient, name: AnnouncedResource): Promise<any[]> {
  return name === 'meters' ? api.expect(200, api.get('/meters')) : api.all(`/${name}`);
}

/** Objects by id, without the fields that change without an event. */
function shown(name: AnnouncedResource, rows: readonly { readonly id: string }[]): unknown {
  return Object.fromEntries(rows.map((row) => [row.id, textOf(name, row)]));
}
