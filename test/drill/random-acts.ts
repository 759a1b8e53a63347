import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { PersistentClient } from '../support/persistent-client';
import { Ledger, type Life } from './ledger';
import type { Scene } from './scene';

const dayMs = 86_400_000;
const prices = [1900, 2900, 5900] as const;
const lastDayOfAnchors = 28;

interface Act {
  readonly name: string;
  /** How often it is chosen, compared with others. */
  readonly weight: number;
  /** Resolves to false if there is nothing to act on. */
  readonly run: () => Promise<boolean>;
  /** True if its caller asks again until it is answered. */
  readonly isPersistent?: boolean;
}

/** Random acts of sellers and payers on a scene, and the ledger of what they were told. */
export class RandomActs {
  readonly ledger = new Ledger();
  /** Names of the acts so far. */
  readonly log: string[] = [];
  private now = '';
  private readonly sandbox: PersistentClient;
  private readonly live: PersistentClient;
  private readonly products = new Map<number, string>();
  private discountId = '';
  private readonly acts: readonly Act[] = [
    { name: 'subscribe', weight: 4, run: () => this.subscribe(), isPersistent: true },
    { name: 'change', weight: 3, run: () => this.change(), isPersistent: true },
    { name: 'cancel', weight: 2, run: () => this.cancel(), isPersistent: true },
    { name: 'use', weight: 4, run: () => this.use(), isPersistent: true },
    { name: 'refund', weight: 2, run: () => this.refund(this.scene.sandbox) },
    { name: 'top up', weight: 2, run: () => this.topUp(), isPersistent: true },
    { name: 'grant', weight: 1, run: () => this.grant(), isPersistent: true },
    { name: 'advance', weight: 4, run: () => this.advance(), isPersistent: true },
    { name: 'buy', weight: 3, run: () => this.buy() },
    { name: 'pay a session', weight: 2, run: () => this.paySession() },
    { name: 'refund a charge', weight: 1, run: () => this.refund(this.scene.live) },
  ];

  private constructor(
    private readonly scene: Scene,
    public random: () => number,
  ) {
    this.sandbox = new PersistentClient(scene.sandbox);
    this.live = new PersistentClient(scene.live);
  }

  static async on(scene: Scene, random: () => number): Promise<RandomActs> {
    const acts = new RandomActs(scene, random);
    await acts.readClock();
    // To a day that each month has.
    await acts.advance(1);
    const { sandbox, products } = acts;
    for (const amount of prices) {
      const flat = { type: 'FLAT', currency: 'USD', billingInterval: 'MONTHLY' };
      const body = { name: `For ${String(amount)}`, amount, ...flat };
      products.set(amount, (await sandbox.post(201, '/products', body)).id);
    }
    const tenth = { name: 'Tenth', type: 'PERCENTAGE', value: 10, duration: 'FOREVER' };
    acts.discountId = (await sandbox.post(201, '/discounts', tenth)).id;
    return acts;
  }

  /** Number of acts so far: the number of the next one. */
  get count(): number {
    return this.log.length;
  }

  /** Does a random act, while something `happens` if its caller outlives it; returns its name. */
  async next(happens: () => Promise<void>): Promise<string> {
    const total = this.acts.reduce((sum, { weight }) => sum + weight, 0);
    let left = this.random() * total;
    const act = this.acts.find(({ weight }) => (left -= weight) < 0) ?? this.acts[0]!;
    const done = act.run();
    if (act.isPersistent === true) await happens();
    const name = (await done) ? act.name : 'subscribe';
    if (name !== act.name) await this.subscribe();
    this.log.push(name);
    return name;
  }

  /** Time of the sandbox, which a restore may have put back. */
  async readClock(): Promise<string> {
    this.now = String((await this.sandbox.get('/sandboxes/clock')).now);
    return this.now;
  }

  /** Sends all usage that was acknowledged once more. */
  async useAgain(): Promise<void> {
    for (const { event } of this.ledger.usage) await this.send(event);
  }

  /** Advances the sandbox by some days, to one that each month has. */
  async advance(days = 1 + Math.floor(this.random() * 20)): Promise<boolean> {
    let to = new Date(Date.parse(this.now) + days * dayMs);
    while (to.getUTCDate() > lastDayOfAnchors) to = new Date(to.getTime() + dayMs);
    await this.sandbox.advanceTo(to.toISOString());
    this.now = to.toISOString();
    return true;
  }

  private pick<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.random() * all.length)];
  }

  private async customer(api: PersistentClient): Promise<string> {
    return (await api.post(201, '/customers', { email: 'random@example.com' })).id;
  }

  private async subscribe(): Promise<boolean> {
    const { sandbox, products, ledger, count: act, scene } = this;
    const customerId = await this.customer(sandbox);
    const isMetered = this.random() < 0.4;
    const amount = isMetered ? 2900 : this.pick(prices)!;
    const isDiscounted = !isMetered && this.random() < 0.3;
    const bought = await sandbox.post(201, '/subscriptions', {
      customerId,
      productId: isMetered ? scene.ids.metered : products.get(amount),
      authorizedTransactionId: `txn_4242424242424242_${newId()}`,
      ...(isDiscounted && { discountId: this.discountId }),
    });
    await this.settle();
    const life = { act, id: bought.id, customerId, startAt: this.now, amount };
    ledger.lives.push({ ...life, isDiscounted, isMetered, changes: [], end: undefined });
    return true;
  }

  private running(isMetered?: boolean): Life | undefined {
    const { lives } = this.ledger;
    return this.pick(
      lives.filter((life) => {
        return life.end === undefined && (isMetered ?? life.isMetered) === life.isMetered;
      }),
    );
  }

  private async change(): Promise<boolean> {
    const life = this.running(false);
    if (life === undefined) return false;
    const { sandbox, products, ledger, count: act, now: madeAt } = this;
    const amount = this.pick(prices)!;
    const isAtOnce = this.random() < 0.7;
    const path = `/subscriptions/${life.id}`;
    const { price, currentPeriodEnd } = await sandbox.get(path);
    if (price.amount === amount) return false;
    const wanted = { productId: products.get(amount), at: isAtOnce ? 'NOW' : 'PERIOD_END' };
    const { id } = await sandbox.post(201, `${path}/changes`, wanted);
    await this.settle();
    const at = isAtOnce ? madeAt : String(currentPeriodEnd);
    ledger.change(life.id, { act, madeAt, at, isAtOnce, amount });
    const change = await sandbox.get(`${path}/changes/${String(id)}`);
    expect(change.status).toBe(isAtOnce ? 'APPLIED' : 'PENDING');
    const { invoiceId, creditNoteIds } = change;
    const documents = [
      ...(invoiceId === null ? [] : [`/invoices/${String(invoiceId)}`]),
      ...creditNoteIds.map((noteId: string) => `/credit-notes/${noteId}`),
    ];
    for (const document of documents) {
      const { id: documentId, customerId, total } = await sandbox.get(document);
      const shown = { id: documentId, customerId, total };
      ledger.told.push({ act, owner: 'subscription', path: document, shown });
    }
    return true;
  }

  private async cancel(): Promise<boolean> {
    const life = this.running();
    if (life === undefined) return false;
    const { sandbox, ledger, count: act, now } = this;
    const atPeriodEnd = this.random() < 0.5;
    const path = `/subscriptions/${life.id}`;
    const shown = await sandbox.post(200, `${path}/cancel`, { atPeriodEnd });
    await this.settle();
    // A call ends the running period; one that begins now is billed.
    const at = atPeriodEnd ? String(shown.currentPeriodEnd) : `${now}+`;
    ledger.end(life.id, { act, at });
    return true;
  }

  private async use(): Promise<boolean> {
    const life = this.running(true);
    if (life === undefined) return false;
    const { customerId } = life;
    const quantity = 1 + Math.floor(this.random() * 50);
    const facts = { customerId, meterId: this.scene.ids.meter, quantity };
    const event = { eventId: newId(), ...facts, timestamp: this.now };
    await this.send(event);
    this.ledger.usage.push({ customerAct: life.act, event });
    return true;
  }

  private async send(event: object): Promise<void> {
    const sent = await this.sandbox.post(201, '/events/ingest', { events: [event] });
    expect(sent.rejected).toEqual([]);
  }

  /** Gives a part of a payment back. */
  private async refund(api: ApiClient): Promise<boolean> {
    const paid = (await api.all('/invoices?status=PAID')).filter(
      ({ amountPaid, amountCredited }) => amountPaid > 1000 && amountCredited === 0,
    );
    const invoice = this.pick(paid.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    if (invoice === undefined) return false;
    const client = api === this.scene.live ? this.live : this.sandbox;
    const terms = { amount: 100, reason: 'GOODWILL', settle: 'REFUND' };
    const note = await client.post(201, '/credit-notes', { invoiceId: invoice.id, ...terms });
    const path = `/credit-notes/${String(note.id)}`;
    await eventually(async () => {
      expect(await client.get(path)).toMatchObject({ refunds: [{ status: 'SUCCEEDED' }] });
    });
    if (api === this.scene.live) return true;
    const shown = { total: 100, refunds: [{ amount: 100, status: 'SUCCEEDED' }] };
    this.ledger.told.push({ act: this.count, owner: 'checkout', path, shown });
    return true;
  }

  private async topUp(): Promise<boolean> {
    const life = this.running();
    if (life === undefined) return false;
    const terms = { customerId: life.customerId, amount: 500, description: 'Goodwill' };
    const { id } = await this.sandbox.post(201, '/balance-entries', { ...terms, currency: 'USD' });
    const path = `/balance-entries/${String(id)}`;
    this.ledger.told.push({ act: this.count, owner: 'checkout', path, shown: terms });
    return true;
  }

  private async grant(): Promise<boolean> {
    const life = this.running(true);
    if (life === undefined) return false;
    const terms = { meterId: this.scene.ids.meter, amount: 20 };
    await this.sandbox.post(201, `/customers/${life.customerId}/meter-credits`, terms);
    return true;
  }

  /** A buyer of the live environment, some of whom are charged again within seconds. */
  private async buy(): Promise<boolean> {
    const inMs = this.random() < 0.6 ? 1_000 + this.random() * 20_000 : undefined;
    const renewsAt = inMs === undefined ? undefined : new Date(systemClock.now().getTime() + inMs);
    const { id } = await (renewsAt === undefined
      ? this.scene.buy()
      : this.scene.buyBefore(renewsAt));
    const told = { act: this.count, owner: 'subscription', id: String(id) } as const;
    this.ledger.buyers.push({ ...told, renewsAt: renewsAt?.toISOString() });
    return true;
  }

  private async paySession(): Promise<boolean> {
    const session = await this.scene.openSession();
    await this.scene.pay(session);
    const path = `/checkout/${session.sessionId}`;
    await eventually(async () => {
      expect(await this.live.get(path)).toMatchObject({ status: 'COMPLETE' });
    });
    const shown = { status: 'COMPLETE', invoice: { status: 'PAID' } };
    this.ledger.told.push({ act: this.count, owner: 'checkout', path, shown });
    return true;
  }

  /** Completes what a busy machine does after an answer. */
  private settle(): Promise<void> {
    return this.sandbox.advanceTo(this.now);
  }
}
