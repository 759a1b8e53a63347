import type { ApiClient } from '../support/api-client';

/** Service that decides an act; the act stays if the restored database of that service has it. */
type Owner = 'subscription' | 'checkout' | 'metering' | 'customer';

/** A resource as an answer has shown it. */
export interface Told {
  readonly act: number;
  readonly owner: Owner;
  readonly path: string;
  readonly shown: object;
}

/** A change of the product of a life. */
interface Change {
  readonly act: number;
  readonly madeAt: string;
  /** When it takes effect, unless another one is made before. */
  readonly at: string;
  /** False: it takes effect at the end of the period. */
  readonly isAtOnce: boolean;
  readonly amount: number;
}

interface End {
  readonly act: number;
  readonly at: string;
}

/** A monthly subscription of the sandbox, as answers have told it. */
export interface Life {
  /** Number of the act that has bought it. */
  readonly act: number;
  readonly id: string;
  readonly customerId: string;
  readonly startAt: string;
  readonly amount: number;
  readonly isDiscounted: boolean;
  readonly isMetered: boolean;
  readonly changes: readonly Change[];
  readonly end: End | undefined;
}

/** A subscription of the live environment, which is charged each day. */
interface Buyer {
  readonly act: number;
  readonly owner: Owner;
  readonly id: string;
  readonly renewsAt: string | undefined;
}

/** An event of usage as it was sent and acknowledged. */
interface SentUsage {
  /** Number of the act that has made the customer. */
  readonly customerAct: number;
  readonly event: {
    readonly eventId: string;
    readonly customerId: string;
    readonly quantity: number;
    readonly timestamp: string;
  };
}

/** Number of the first act that the copy of each service lacks. */
type CopiedAt = ReadonlyMap<string, number>;

/**
 * What the callers of a system were told: a second account of the same money, which knows nothing
 * of the system but its answers.
 */
export class Ledger {
  lives: Life[] = [];
  buyers: Buyer[] = [];
  told: Told[] = [];
  usage: SentUsage[] = [];

  change(id: string, change: Change): void {
    this.replace(id, (life) => ({ changes: [...life.changes, change] }));
  }

  end(id: string, end: End): void {
    this.replace(id, () => ({ end }));
  }

  private replace(id: string, by: (life: Life) => Partial<Life>): void {
    this.lives = this.lives.map((life) => (life.id === id ? { ...life, ...by(life) } : life));
  }

  /**
   * Forgets the acts that the restored databases of their owners do not have; returns what was told
   * of them.
   */
  restore(copiedAt: CopiedAt): Told[] {
    const has = (owner: Owner, act: number) => act < (copiedAt.get(owner) ?? Infinity);
    const isKept = ({ owner, act }: { readonly owner: Owner; readonly act: number }) =>
      has(owner, act);
    this.lives = this.lives
      .filter(({ act }) => has('subscription', act))
      .map(({ changes, end, ...life }) => ({
        ...life,
        changes: changes.filter(({ act }) => has('subscription', act)),
        end: end !== undefined && has('subscription', end.act) ? end : undefined,
      }));
    this.buyers = this.buyers.filter(isKept);
    const forgotten = this.told.filter((one) => !isKept(one));
    this.told = this.told.filter(isKept);
    this.usage = this.usage.filter(({ customerAct }) => has('customer', customerAct));
    return forgotten;
  }
}

/** Price of a period that begins at an instant. */
function priceAt({ amount, changes }: Life, start: string): number {
  const made = changes.filter(
    ({ at }, index) => !changes.slice(index + 1).some((later) => later.madeAt < at),
  );
  const before = made.filter(({ at, isAtOnce }) => (isAtOnce ? at < start : at <= start));
  return before.at(-1)?.amount ?? amount;
}

/** Start and recurring amount of the periods that a life owes up to an instant. */
export function periodsOwed(life: Life, now: string): [start: string, amount: number][] {
  const owed: [string, number][] = [];
  for (let count = 0; ; count += 1) {
    const start = new Date(life.startAt);
    start.setUTCMonth(start.getUTCMonth() + count);
    const at = start.toISOString();
    if (at > now || (life.end !== undefined && at >= life.end.at)) return owed;
    const price = priceAt(life, at);
    owed.push([at, life.isDiscounted ? price - price / 10 : price]);
  }
}

const reasonsOfPeriods = new Set(['SUBSCRIPTION_CREATE', 'SUBSCRIPTION_CYCLE']);

/** The same of the invoices that a life has. */
export function periodsBilled(life: Life, invoices: readonly any[]): [string, number][] {
  return invoices
    .filter(({ subscriptionId }) => subscriptionId === life.id)
    .filter(({ status, billingReason }) => status === 'PAID' && reasonsOfPeriods.has(billingReason))
    .map(({ lineItems }): [string, number] => {
      const recurring = lineItems.filter(({ kind }: any) => kind === 'RECURRING');
      const amounts = recurring.map(({ amount, discountAmount }: any) => amount - discountAmount);
      return [
        recurring[0]?.periodStart,
        amounts.reduce((sum: number, one: number) => sum + one, 0),
      ];
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Expects each resource that answers have shown as it was shown. */
export async function expectTold(told: readonly Told[], api: ApiClient): Promise<void> {
  for (const { path, shown } of told) {
    expect([path, await api.expect(200, api.get(path))]).toMatchObject([path, shown]);
  }
}
