import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { expectInvariants } from '../invariants/expectation';
import { environmentOf } from '../invariants/service-logs';
import { expectMoneyReports } from '../recount/expectation';
import { chargesOf, expectOneTextAnId } from './compare';
import { reportOf } from './command';
import type { Copy } from './copies';
import type { DrillSystem } from './drill-system';
import { expectTold, periodsBilled, periodsOwed, type Told } from './ledger';
import type { RandomActs } from './random-acts';
import { recover, type Step, steps, untilServed } from './recovery';

// Acts between the first copy and the last one.
const apartActsMax = 5;
// For hangs.
const settledWithinMs = 120_000;

/** Copies of all services, each of another time. */
interface Saved {
  readonly copies: Map<string, Copy>;
  /** Number of the first act that each copy lacks. */
  readonly copiedAt: Map<string, number>;
  savedAt: Date | undefined;
}

interface RoundOptions {
  readonly random: () => number;
  readonly say: (line: string) => void;
  /** Charges whose invoices were lost, in this round and in those before it. */
  readonly unmatched: Set<string>;
  /** Ids of what was lost, likewise. */
  readonly lost: Set<string>;
}

/** Random acts and copies, a restore, and the comparison with what the callers were told. */
export class RandomRound {
  private readonly saved: Saved = { copies: new Map(), copiedAt: new Map(), savedAt: undefined };

  private readonly random: () => number;
  private readonly say: (line: string) => void;
  private readonly unmatched: Set<string>;
  private readonly lost: Set<string>;
  /** Texts of what `reconcile` has found. */
  private findings: readonly string[] = [];

  constructor(
    private readonly system: DrillSystem,
    private readonly acts: RandomActs,
    { random, say, unmatched, lost }: RoundOptions,
  ) {
    this.random = random;
    this.say = say;
    this.unmatched = unmatched;
    this.lost = lost;
  }

  async run(): Promise<void> {
    await this.actAndSave();
    const { system, acts, saved } = this;
    const { machine, scene, receiver } = system;
    await system.readAll();
    await (this.random() < 0.5 ? machine.stop() : machine.kill());
    const stoppedAt = systemClock.now();
    const charges = chargesOf(machine.stripe);
    await system.copies.putBack(saved.copies);
    const kills = this.randomSteps();
    this.say(`killed after ${kills.join(', ') || 'no step'}`);
    const times = { savedAt: saved.savedAt ?? stoppedAt, stoppedAt };
    const openReason = 'The losses are known';
    const ended = await recover(machine, { ...times, kills, openReason });
    expect(chargesOf(machine.stripe)).toEqual(charges);
    await this.expectFound(ended);
    await this.forgetLost();
    this.say('opened');
    await eventually(() => this.expectBooks());
    this.say('compared');
    await acts.useAgain();
    await acts.advance(31);
    await eventually(() => this.expectBooks());
    this.say('advanced');
    await this.expectRules();
    this.say('examined');
    await scene.sandbox.untilIdle();
    expectOneTextAnId(receiver);
  }

  /** Acts, and copies each service after a random one. */
  private async actAndSave(): Promise<void> {
    const { system, acts, saved, random } = this;
    const total = 10 + Math.floor(random() * 8);
    const first = Math.floor(random() * (total - 2));
    const last = Math.min(total, first + 1 + Math.floor(random() * apartActsMax));
    const due = new Map(
      system.machine.services.map((service) => {
        return [service, first + Math.floor(random() * (last - first + 1))];
      }),
    );
    for (let count = 0; count <= total; count += 1) {
      for (const [service, at] of due) {
        if (saved.copies.has(service) || at > count) continue;
        saved.savedAt ??= systemClock.now();
        const copied = await system.copies.save([service]);
        saved.copies.set(service, copied.get(service)!);
        saved.copiedAt.set(service, acts.count);
        this.say(`copied ${service}`);
      }
      if (count < total) this.say(await acts.next(() => this.killSometimes()));
    }
  }

  /** The machine loses its power and starts again, during one act in ten. */
  private async killSometimes(): Promise<void> {
    const [chance, part] = [this.random(), this.random()];
    if (chance >= 0.1) return;
    await delay(part * 500);
    const { machine } = this.system;
    await machine.kill();
    await machine.start();
    this.say('killed during an act');
  }

  private randomSteps(): Step[] {
    const count = Math.floor(this.random() * 3);
    return Array.from({ length: count }, () => steps[Math.floor(this.random() * steps.length)]!);
  }

  private idsOf(service: string, collection: string): ReadonlySet<string> {
    const documents = this.saved.copies.get(service)?.get(collection) ?? [];
    return new Set(documents.map(({ _id: id }) => String(id)));
  }

  /** Expects no finding but references to what the copies lack, in an open system. */
  private async expectFound(ended: Parameters<typeof reportOf>[0]): Promise<void> {
    const { machine } = this.system;
    const report = reportOf(ended);
    const { findings, unmatchedCharges, opened } = report;
    const ofCustomers = this.idsOf('customer', 'customers');
    const ofSubscriptions = this.idsOf('subscription', 'subscriptions');
    const isExplained = ({ invariant, text }: any) => {
      if (invariant !== 'missing_reference') return false;
      // Compared with the ledger below.
      if (isOfChange(text)) return true;
      const [, , , kind, id] = String(text).split(/[ ,]/);
      if (kind === 'customer') return !ofCustomers.has(id ?? '');
      return kind === 'subscription' && !ofSubscriptions.has(id ?? '');
    };
    expect(findings.filter((one: any) => !isExplained(one))).toEqual([]);
    this.findings = findings.map(({ text }: any) => String(text));
    this.say(`${String(findings.length)} findings, ${String(unmatchedCharges.length)} unmatched`);
    expect(opened).toBe(true);
    await untilServed(machine);
    await this.expectCharges(unmatchedCharges);
  }

  /** Expects each charge of the provider on one invoice, or among those without an invoice. */
  private async expectCharges(unmatched: readonly any[]): Promise<void> {
    const { scene, machine } = this.system;
    for (const { providerPaymentId: id } of unmatched) this.unmatched.add(String(id));
    await eventually(async () => {
      const invoices = await scene.live.all('/invoices');
      const recorded = invoices
        .flatMap(({ payments }) => payments)
        .filter(({ status }) => status === 'SUCCEEDED')
        .map(({ providerPaymentId }) => String(providerPaymentId));
      const taken = machine.stripe.account.payments.map(({ intent }) => intent);
      expect([...recorded, ...this.unmatched].toSorted()).toEqual(taken.toSorted());
    });
  }

  /** Expects what callers were told, as far as the copies have it, and each period billed once. */
  private async expectBooks(): Promise<void> {
    const { system, acts } = this;
    const { sandbox, live } = system.scene;
    const now = await acts.readClock();
    const { lives, buyers, told } = acts.ledger;
    const books = await system.readAll();
    expect(books.sandbox.invoices.size).toBeGreaterThan(0);
    const invoices = await sandbox.all('/invoices');
    for (const life of lives) {
      expect([life.id, periodsBilled(life, invoices)]).toEqual([life.id, periodsOwed(life, now)]);
      const { status } = await sandbox.expect(200, sandbox.get(`/subscriptions/${life.id}`));
      const isEnded = life.end !== undefined && (life.end.at <= now || life.end.at.endsWith('+'));
      expect([life.id, status]).toEqual([life.id, isEnded ? 'CANCELED' : 'ACTIVE']);
    }
    for (const one of told) {
      await expectTold([one], one.path.startsWith('/checkout') ? live : sandbox);
    }
    for (const { id, renewsAt } of buyers) {
      const paid = await live.all(`/invoices?subscriptionId=${id}&status=PAID`);
      const isDue = renewsAt !== undefined && renewsAt < systemClock.now().toISOString();
      expect([id, paid.map(({ total }) => total)]).toEqual([id, isDue ? [2900, 2900] : [2900]]);
    }
  }

  /** Forgets what the databases of its owners have lost, as a seller would. */
  private async forgetLost(): Promise<void> {
    const { scene } = this.system;
    const forgotten = this.acts.ledger.restore(this.saved.copiedAt);
    await this.expectLostChanges(forgotten);
    for (const api of [scene.sandbox, scene.live]) {
      for (const [path, id = ''] of api.acknowledged) {
        const owner = ownerOf(path);
        if (owner === undefined || this.hasDocument(owner, id)) continue;
        api.acknowledged.delete(path);
        this.lost.add(id);
      }
      // All usage is sent again.
      api.acknowledgedEvents.clear();
    }
  }

  /** Expects the documents of lost changes among the findings, if checkout has them. */
  private async expectLostChanges(forgotten: readonly Told[]): Promise<void> {
    const { sandbox } = this.system.scene;
    const kept = new Set(this.acts.ledger.lives.map(({ id }) => id));
    const expected: string[] = [];
    for (const { owner, path } of forgotten) {
      if (owner !== 'subscription') continue;
      const { status, body } = await sandbox.get(path);
      if (status !== 200 || body.status === 'VOID') continue;
      const isInvoice = path.startsWith('/invoices');
      const invoicePath = `/invoices/${String(isInvoice ? body.id : body.invoiceId)}`;
      const { subscriptionId } = await sandbox.expect(200, sandbox.get(invoicePath));
      if (!kept.has(subscriptionId)) continue;
      const holder = `${isInvoice ? 'invoice' : 'credit note'} ${String(body.id)}`;
      expected.push(
        `${holder} names a change of subscription ${String(subscriptionId)}, which does not exist`,
      );
    }
    // The ledger has no subscriptions of earlier rounds.
    const found = this.findings.filter(
      (text) => isOfChange(text) && [...kept].some((id) => text.includes(id)),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
  }

  private hasDocument(service: string, id: string): boolean {
    const copy = this.saved.copies.get(service) ?? new Map<string, Copy>();
    return [...copy.keys()].some((collection) => this.idsOf(service, collection).has(id));
  }

  /** The invariants and the recount of reports, as after crashes. */
  private async expectRules(): Promise<void> {
    const { machine, scene, owner } = this.system;
    const { addresses } = machine;
    const { live, sandbox } = scene;
    const system = { addresses, live, sandbox, sandboxKey: sandbox.key ?? '' };
    const lost = [...this.lost];
    const isExplained = (finding: string) => lost.some((id) => finding.includes(id));
    for (const api of [sandbox, live]) {
      await expectInvariants(system, api, { isExplained });
    }
    const { tenant } = await environmentOf(addresses, sandbox.key ?? '');
    const operator = owner.in(tenant.environmentId);
    await expectMoneyReports(sandbox, operator, { timeoutMs: settledWithinMs });
  }
}

const isOfChange = (finding: string) => finding.includes(' names a change of subscription ');

const ownersOfPaths: Readonly<Record<string, string>> = {
  customers: 'customer',
  products: 'catalog',
  discounts: 'discount',
  subscriptions: 'subscription',
  checkout: 'checkout',
  'credit-notes': 'checkout',
  'balance-entries': 'checkout',
};

function ownerOf(path: string): string | undefined {
  return ownersOfPaths[path.split('/')[1] ?? ''];
}
