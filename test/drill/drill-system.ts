import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { localOrganization } from '@billing/local/first-keys';
import { OperatorClient } from '../support/operator-client';
import type { Edit } from '../upgrade/releases';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import {
  Announced,
  type Books,
  chargesOf,
  expectOneInvoiceAPeriod,
  expectOneTextAnId,
  readBooks,
  withoutNumbers,
} from './compare';
import { Copies, type Copy } from './copies';
import { Machine } from './machine';
import { expectClean, openDespite, recover, type Step } from './recovery';
import { Scene } from './scene';

export interface AllBooks {
  readonly live: Books;
  readonly sandbox: Books;
}

interface Saved {
  readonly copies: ReadonlyMap<string, Copy>;
  readonly at: Date;
  readonly books: AllBooks;
}

/** A machine with its scene, on which one drill follows the other. */
export class DrillSystem {
  private readonly announced = new Announced();

  private constructor(
    readonly folder: string,
    readonly machine: Machine,
    readonly copies: Copies,
    readonly receiver: WebhookReceiver,
    public scene: Scene,
    /** The first operator. */
    readonly owner: OperatorClient,
  ) {}

  /** `playYear`: false leaves the scene at its first day. */
  static async start({
    playYear = true,
    edits,
  }: { readonly playYear?: boolean; readonly edits?: readonly Edit[] } = {}): Promise<DrillSystem> {
    const folder = await mkdtemp(join(tmpdir(), 'billing-drill-'));
    const receiver = await startWebhookReceiver();
    const machine = await Machine.start(folder, edits);
    const copies = await Copies.connect(machine);
    const live = machine.client(machine.liveKey);
    const scene = playYear
      ? await Scene.play(live, machine.stripe, receiver)
      : await Scene.begin(live, machine.stripe, receiver);
    const { addresses, gatewayUrl } = machine;
    const site = { addresses, gatewayUrl, organization: localOrganization };
    const owner = await OperatorClient.owner(site);
    return new DrillSystem(folder, machine, copies, receiver, scene, owner);
  }

  /** Goes on with another sandbox. */
  async beginScene(): Promise<Scene> {
    this.scene = await Scene.begin(this.scene.live, this.machine.stripe, this.receiver);
    return this.scene;
  }

  async end(): Promise<void> {
    await this.copies.close();
    await this.machine.end();
    await this.machine.stripe.close();
    await this.receiver.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Reads the books of both environments, which must agree with all that were read before. */
  async readAll(): Promise<AllBooks> {
    const { live, sandbox } = this.scene;
    const books = { live: await readBooks(live), sandbox: await readBooks(sandbox) };
    this.announced.record(live, books.live);
    this.announced.record(sandbox, books.sandbox);
    for (const one of Object.values(books)) expectOneInvoiceAPeriod(one);
    return books;
  }

  /** Invoices of a sandbox that were made again are charged after the opening. */
  private async readSettled(): Promise<AllBooks> {
    return eventually(async () => {
      const books = await this.readAll();
      const invoices = [...books.sandbox.invoices.values()];
      const payments = invoices.flatMap((invoice: any) => invoice.payments);
      expect(payments.filter(({ status }) => status === 'PENDING')).toEqual([]);
      return books;
    });
  }

  async save(services: readonly string[]): Promise<Saved> {
    const books = await this.readAll();
    const at = systemClock.now();
    return { at, books, copies: await this.copies.save(services) };
  }

  /** Saves databases before new buyers are charged for the second time; returns the buyers. */
  async saveBeforeRenewals(
    services: readonly string[],
    { count }: { readonly count: number },
  ): Promise<Saved & { readonly renewing: readonly any[] }> {
    // On a slow machine the copy takes longer than the first of these times.
    for (let inMs = 8_000 + 2_000 * count; ; inMs *= 2) {
      const renewsAt = new Date(systemClock.now().getTime() + inMs);
      const renewing: any[] = [];
      while (renewing.length < count) renewing.push(await this.scene.buyBefore(renewsAt));
      const saved = await this.save(services);
      if (systemClock.now() < renewsAt) return { ...saved, renewing };
    }
  }

  /** Waits until buyers have been charged for the second time. */
  async untilRenewed(buyers: readonly any[]): Promise<void> {
    const { live } = this.scene;
    for (const { id } of buyers) {
      await eventually(async () => {
        const paid = await live.all(`/invoices?subscriptionId=${String(id)}&status=PAID`);
        expect(paid).toHaveLength(2);
      });
    }
  }

  /**
   * Stops the system, puts the saved databases back, recovers, and expects the books that
   * `expected` makes of those at the stop. Returns the code of the restore, and the books.
   */
  async restore(
    saved: Saved,
    {
      kills = [],
      lost = [],
      expected = (books) => books,
      compared = (books) => books,
    }: {
      readonly kills?: readonly Step[];
      /** What others name and its service has lost, such as `customer <id>`; absent: nothing. */
      readonly lost?: readonly string[];
      readonly expected?: (atStop: AllBooks) => AllBooks;
      /** What is compared of either books; absent: all. */
      readonly compared?: (books: AllBooks) => AllBooks;
    } = {},
  ): Promise<{ readonly code: string; readonly books: AllBooks }> {
    const { machine, receiver, scene } = this;
    const atStop = await this.readAll();
    await machine.stop();
    const stoppedAt = systemClock.now();
    const charges = chargesOf(machine.stripe);
    await this.copies.putBack(saved.copies);
    const ended = await recover(machine, { savedAt: saved.at, stoppedAt, kills });
    const code =
      lost.length === 0
        ? await expectClean(ended, machine)
        : await openDespite(lost, { ended, machine });
    const books = await this.readSettled();
    const known = expected(atStop);
    const [own, others] = [compared(books), compared(known)];
    for (const name of ['live', 'sandbox'] as const) {
      expect(withoutNumbers(own[name])).toEqual(withoutNumbers(others[name]));
      expectNumbers(books[name], { known: known[name], saved: saved.books[name], code });
    }
    expect(chargesOf(machine.stripe)).toEqual(charges);
    // Nothing is left that would change the books later.
    await scene.sandbox.untilIdle();
    expect(await this.readAll()).toEqual(books);
    expectOneTextAnId(receiver);
    return { code, books };
  }
}

/**
 * Expects that no number of the time before the save has changed, and that the others are those of
 * before or have the code of the restore.
 */
function expectNumbers(
  { invoices }: Books,
  { known, saved, code }: { known: Books; saved: Books; code: string },
): void {
  const own = new RegExp(`^INV-${code}-\\d{6}$`);
  for (const { id, number } of invoices.values()) {
    const before = saved.invoices.get(id)?.number;
    const given = before ?? known.invoices.get(id)?.number;
    const isOwn = before === undefined && own.test(String(number));
    expect([id, number]).toEqual([id, isOwn ? number : given]);
  }
}
