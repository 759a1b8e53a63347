import fc from 'fast-check';
import type { Slot } from './redemption-slot';
import { claimSlots, closeSlots, type Slots } from './slot-claims';
import type { Holder } from './slot-document';

// A real database gives no control over interleavings; here a scheduler does. Between any two reads
// or writes of a document, other actors may run, and an actor may be slow or crash. The real code
// runs; the model only stores documents and decides nothing.

const discountId = 'discount';
const attemptsMax = 12;
// Slots per read.
const readMax = 2;

type Act =
  | { readonly kind: 'RESERVE' | 'RELEASE' | 'CONFIRM'; readonly holder: number }
  | { readonly kind: 'MAXIMUM'; readonly maximum: number | null }
  | { readonly kind: 'RENAME' };

const maximum = fc.option(fc.integer({ min: 1, max: 5 }), { nil: null });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('RESERVE' as const),
      holder: fc.nat({ max: 8 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('RELEASE' as const, 'CONFIRM' as const),
      holder: fc.nat({ max: 8 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('MAXIMUM' as const), maximum }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('RENAME' as const) }) },
);
/** An actor that crashes after the given number of steps. */
const actor = fc.record({ act, stepsMax: fc.option(fc.nat({ max: 20 }), { nil: Infinity }) });

test('no interleaving takes more than the maximum, with a crash possible at any step', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      maximum,
      fc.array(actor, { minLength: 2, maxLength: 14 }),
      async (scheduler, initialMaximum, actors) => {
        const model = new Model(scheduler, initialMaximum);
        for (const { act: does, stepsMax } of actors)
          model.run(perform(does, model, model.stepper(stepsMax)));
        await scheduler.waitIdle();
        expect(model.failures).toEqual([]);
        expect(model.numbers()).toEqual(model.numbers().map((_number, place) => place + 1));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('after any history, later redeemers get all remaining redemptions and no more', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      maximum,
      fc.array(actor, { minLength: 2, maxLength: 10 }),
      async (scheduler, initialMaximum, actors) => {
        const model = new Model(scheduler, initialMaximum);
        for (const { act: does, stepsMax } of actors)
          model.run(perform(does, model, model.stepper(stepsMax)));
        await scheduler.waitIdle();
        for (let holder = 100; holder < 106; holder += 1) {
          model.run(reserve(holder, model, model.stepper(Infinity)));
          await scheduler.waitIdle();
        }
        expect(model.failures).toEqual([]);
        const held = model.taken().length;
        const { maximum: most } = model.discount;
        if (most === null) expect(held).toBeGreaterThanOrEqual(6);
        else expect(held).toBe(most);
      },
    ),
    { numRuns: 500 },
  );
});

async function perform(does: Act, model: Model, step: Step): Promise<void> {
  switch (does.kind) {
    case 'RESERVE':
      return reserve(does.holder, model, step);
    case 'RELEASE':
    case 'CONFIRM':
      await step();
      model.settle(`holder ${String(does.holder)}`, does.kind);
      return;
    case 'MAXIMUM':
      return changeMaximum(does.maximum, model, step);
    case 'RENAME':
      await step();
      model.write({ version: model.discount.version, changes: {} });
  }
}

/** Same as in reserve-redemption.ts. */
async function reserve(number: number, model: Model, step: Step): Promise<void> {
  const holder = {
    kind: 'SUBSCRIPTION' as const,
    change: null,
    code: null,
    id: `holder ${String(number)}`,
    heldAt: new Date(0),
    askAt: new Date(0),
  };
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    await step();
    const limit = { ...model.discount };
    const [outcome] = await claimSlots(model.slots(step), discountId, [{ holder, limit }]);
    if (outcome !== 'STALE') return;
    if (attempt === 1) continue;
    await step();
    model.write({ version: limit.version, changes: {} });
  }
}

/** Same as in rpc.ts. */
async function changeMaximum(after: number | null, model: Model, step: Step): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    await step();
    const { version, maximum: before } = model.discount;
    const isLower = after !== null && (before === null || after < before);
    const closing = { maximum: after ?? 0, version: version + 1 };
    const isClosed = !isLower || (await closeSlots(model.slots(step), discountId, closing));
    await step();
    const changes = isClosed ? { maximum: after } : {};
    if (model.write({ version, changes })) return;
  }
}

/** Waits for the scheduler; never resolves for a crashed actor. */
type Step = () => Promise<void>;

interface Document extends Slot {
  readonly holder: string | undefined;
  readonly isConfirmed: boolean;
}

/**
 * One discount and its slots, with reads and writes of single documents. Checks the maximum after
 * each write.
 */
class Model {
  discount: { readonly version: number; readonly maximum: number | null };
  readonly failures: unknown[] = [];
  private readonly documents = new Map<number, Document>();

  constructor(
    private readonly scheduler: fc.Scheduler,
    initialMaximum: number | null,
  ) {
    this.discount = { version: 1, maximum: initialMaximum };
  }

  run(work: Promise<void>): void {
    work.catch((error: unknown) => this.failures.push(error));
  }

  stepper(stepsMax: number): Step {
    let steps = 0;
    return async () => {
      steps += 1;
      if (steps > stepsMax) await new Promise(() => undefined);
      await this.scheduler.schedule(Promise.resolve());
    };
  }

  /** Compare-and-set on the version. */
  write({ version, changes }: { version: number; changes: { maximum?: number | null } }): boolean {
    if (this.discount.version !== version) return false;
    this.discount = { ...this.discount, ...changes, version: version + 1 };
    this.checkMaximum();
    return true;
  }

  settle(holder: string, kind: 'RELEASE' | 'CONFIRM'): void {
    const slot = this.ofHolder(holder);
    if (slot === undefined || slot.isConfirmed) return;
    const settled = kind === 'RELEASE' ? { holder: undefined } : { isConfirmed: true };
    this.put({ ...slot, ...settled });
  }

  numbers(): number[] {
    return [...this.documents.keys()].sort((one, other) => one - other);
  }

  taken(): Document[] {
    return [...this.documents.values()].filter(({ holder }) => holder !== undefined);
  }

  slots(step: Step): Slots {
    return {
      holdersAmong: async (_discountId, ids) => {
        await step();
        return new Set(ids.filter((id) => this.ofHolder(id) !== undefined));
      },
      last: async () => {
        await step();
        return this.documents.get(Math.max(...this.numbers()));
      },
      lowestFree: async (_discountId, { upTo, limit }) => {
        await step();
        const free = this.numbers().map((number) => this.get(number));
        return free
          .filter(({ number, holder }) => number <= upTo && holder === undefined)
          .slice(0, limit);
      },
      above: async (_discountId, number) => {
        await step();
        const found = [];
        const next = this.numbers().filter((one) => one > number);
        for (const above of next.slice(0, readMax)) {
          await step();
          const { stamp, holder } = this.get(above);
          found.push({ number: above, stamp, isFree: holder === undefined });
        }
        return found;
      },
      add: async (_discountId, added) => {
        for (const slot of added) {
          await step();
          if (this.documents.has(slot.number) || this.isTaken(slot.holder)) return false;
          this.put({ ...slot, holder: slot.holder?.id, isConfirmed: false });
        }
        return true;
      },
      take: async (_discountId, { number, holder, version }) => {
        await step();
        const slot = this.get(number);
        const isOpen = slot.holder === undefined && slot.stamp <= version;
        if (!isOpen || this.isTaken(holder)) return false;
        this.put({ ...slot, holder: holder.id, stamp: version });
        return true;
      },
      stampAbove: async (_discountId, { number, version }) => {
        for (const above of this.numbers().filter((one) => one > number)) {
          await step();
          const slot = this.get(above);
          if (slot.holder === undefined && slot.stamp < version) {
            this.put({ ...slot, stamp: version });
          }
        }
      },
    };
  }

  private put(slot: Document): void {
    this.documents.set(slot.number, slot);
    this.checkMaximum();
  }

  private checkMaximum(): void {
    const { maximum: most } = this.discount;
    const above = this.taken().filter(({ number }) => most !== null && number > most);
    if (above.length > 0) throw new Error(`Taken above the maximum: ${JSON.stringify(above)}`);
  }

  private get(number: number): Document {
    const slot = this.documents.get(number);
    if (slot === undefined) throw new Error(`There is no slot ${String(number)}`);
    return slot;
  }

  private isTaken(holder: Holder | undefined): boolean {
    return holder !== undefined && this.ofHolder(holder.id) !== undefined;
  }

  private ofHolder(id: string): Document | undefined {
    return this.taken().find(({ holder }) => holder === id);
  }
}
