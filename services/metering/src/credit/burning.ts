import { Decimal } from '@billing/kernel/decimal';

/** Origin of credits. */
export type CreditSource = 'PROMOTIONAL' | 'PAID';

/** The terms of a grant that decide the burn order. */
export interface GrantTerms {
  readonly id: string;
  /** 0-255; lower burns first. */
  readonly priority: number;
  readonly source: CreditSource;
  /** Covers usage from this instant on. */
  readonly effectiveAt: Date;
  /** Covers usage before this instant; null: no expiry. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

/** A grant and its units available to burn. */
export interface BurnableGrant extends GrantTerms {
  readonly available: Decimal;
}

/** Usage at an instant, or in a span that starts there and in which no grant starts or ends. */
export interface UsageAt {
  readonly at: Date;
  /** Below 0 if more was returned than used. */
  readonly quantity: Decimal;
}

/** Units covered by one grant. */
interface CreditUse {
  readonly grantId: string;
  readonly quantity: Decimal;
}

/** The credits that cover a period's usage, and the usage they do not cover. */
export interface Burning {
  /** In the order in which the grants were first used; each above 0. */
  readonly uses: readonly CreditUse[];
  /** Units beyond included units and credits. */
  readonly overage: Decimal;
}

const none = Decimal.of(0n);

/**
 * Burn order of grants: priority, expiry (none last), PROMOTIONAL before PAID, then oldest first.
 */
export function compareGrants(a: GrantTerms, b: GrantTerms): number {
  return (
    a.priority - b.priority ||
    expiry(a) - expiry(b) ||
    sourceRank[a.source] - sourceRank[b.source] ||
    a.effectiveAt.getTime() - b.effectiveAt.getTime() ||
    a.createdAt.getTime() - b.createdAt.getTime() ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

/** True if a grant covers usage at an instant. */
export function coversAt({ effectiveAt, expiresAt }: GrantTerms, at: Date): boolean {
  return effectiveAt <= at && (expiresAt === null || at < expiresAt);
}

/**
 * Instants inside a span at which a grant starts or ends, ascending. Between two of them, the
 * instant of an event has no effect.
 */
export function grantBoundaries(
  grants: Iterable<GrantTerms>,
  { start, end }: { readonly start: Date; readonly end: Date },
): Date[] {
  const times = new Set<number>();
  for (const { effectiveAt, expiresAt } of grants) {
    for (const at of [effectiveAt, expiresAt]) {
      if (at !== null && at > start && at < end) times.add(at.getTime());
    }
  }
  return [...times].sort((a, b) => a - b).map((time) => new Date(time));
}

/** Part of a period in which one price includes units, and its usage in order of time. */
export interface UsedStretch {
  readonly usages: readonly UsageAt[];
  /** Counted from the beginning of the period. */
  readonly includedUnits: Decimal;
  /** The next stretch burns credits as if it were one with this one. */
  readonly continues: boolean;
}

/**
 * Burns credits for the usage of one period, given in order of time. Included units are used first.
 * Returned units undo the most recent use: overage and burnt credits from the end.
 */
export function burnCredits(
  grants: readonly BurnableGrant[],
  usages: readonly UsageAt[],
  includedUnits: Decimal = none,
): Burning {
  const burner = new CreditBurner(grants, includedUnits);
  burner.use(usages);
  return burner.burnt();
}

/**
 * Burns credits for the stretches of a period; returns what is burnt up to the end of each. Units
 * used before a stretch count against its included units. Beyond them, a stretch burns credits for
 * its own usage alone, and does not undo what earlier ones have burnt.
 */
export function burnStretches(
  grants: readonly BurnableGrant[],
  stretches: readonly UsedStretch[],
): Burning[] {
  const burner = new CreditBurner(grants, stretches[0]?.includedUnits ?? none);
  let continues = true;
  return stretches.map((stretch) => {
    if (!continues) burner.begin(stretch.includedUnits);
    continues = stretch.continues;
    burner.use(stretch.usages);
    return burner.burnt();
  });
}

/** Running account of included units, credits and overage in a period. */
class CreditBurner {
  private readonly credits: CreditsInTime;
  private steps: Step[] = [];
  private used = none;
  // Units that earlier stretches have burnt; they stay burnt.
  private floor = none;

  constructor(
    grants: readonly BurnableGrant[],
    private includedUnits: Decimal,
  ) {
    this.credits = new CreditsInTime(grants);
  }

  /** Begins a stretch with other included units. */
  begin(includedUnits: Decimal): void {
    const burnt = this.steps.filter(({ credit }) => credit !== undefined);
    this.includedUnits = includedUnits;
    this.floor = burnt.reduce((sum, { quantity }) => sum.add(quantity), none);
    const open = beyond(this.used, includedUnits).subtract(this.floor);
    const rest = open.compare(none) > 0 ? [{ credit: undefined, quantity: open }] : [];
    this.steps = [...burnt, ...rest];
  }

  use(usages: readonly UsageAt[]): void {
    for (const { at, quantity } of usages) {
      const before = this.open();
      this.used = this.used.add(quantity);
      const change = this.open().subtract(before);
      if (change.compare(none) < 0) this.undo(none.subtract(change));
      else this.cover(change, at.getTime());
    }
  }

  burnt(): Burning {
    return summed(this.steps);
  }

  /** Units beyond the included ones, covered by credits or not. */
  private open(): Decimal {
    const units = beyond(this.used, this.includedUnits);
    return units.compare(this.floor) < 0 ? this.floor : units;
  }

  private cover(units: Decimal, at: number): void {
    let open = units;
    while (open.compare(none) > 0) {
      const credit = this.credits.next(at);
      const quantity = credit === undefined ? open : lesser(open, credit.left);
      this.steps.push({ credit, quantity });
      if (credit !== undefined) this.credits.burn(credit, quantity);
      open = open.subtract(quantity);
    }
  }

  private undo(units: Decimal): void {
    let open = units;
    while (open.compare(none) > 0) {
      const last = this.steps.pop();
      if (last === undefined) throw new Error('More units returned than used');
      const quantity = lesser(open, last.quantity);
      const rest = last.quantity.subtract(quantity);
      const { credit } = last;
      if (rest.compare(none) > 0) this.steps.push({ credit, quantity: rest });
      if (credit !== undefined) this.credits.restore(credit, quantity);
      open = open.subtract(quantity);
    }
  }
}

/** Units left of a grant. */
interface Credit {
  readonly grantId: string;
  /** Position in the burn order. */
  readonly rank: number;
  readonly effectiveAt: number;
  readonly expiresAt: number;
  left: Decimal;
}

/**
 * Credits as time goes on. An account may have thousands of grants and a period as many usages, so
 * a usage passes each grant once that has begun, ended or been used up since the one before.
 */
class CreditsInTime {
  // The next to begin is last.
  private readonly coming: Credit[];
  // Those that have begun and have units left, and maybe expired ones; the next to burn is last.
  private readonly begun: Credit[] = [];

  constructor(grants: readonly BurnableGrant[]) {
    this.coming = grants
      .filter(({ available }) => available.compare(none) > 0)
      .sort(compareGrants)
      .map((grant, rank) => ({
        ...{ grantId: grant.id, rank, left: grant.available },
        ...{ effectiveAt: grant.effectiveAt.getTime(), expiresAt: expiry(grant) },
      }))
      .sort((a, b) => b.effectiveAt - a.effectiveAt);
  }

  /** The credit to burn next at an instant, which is no earlier than those before. */
  next(at: number): Credit | undefined {
    let first = this.coming.at(-1);
    while (first !== undefined && first.effectiveAt <= at) {
      this.coming.pop();
      this.add(first);
      first = this.coming.at(-1);
    }
    while ((this.begun.at(-1)?.expiresAt ?? Infinity) <= at) this.begun.pop();
    return this.begun.at(-1);
  }

  /** Burns units of the credit that is next. */
  burn(credit: Credit, quantity: Decimal): void {
    credit.left = credit.left.subtract(quantity);
    if (credit.left.compare(none) === 0) this.begun.pop();
  }

  restore(credit: Credit, quantity: Decimal): void {
    if (credit.left.compare(none) === 0) this.add(credit);
    credit.left = credit.left.add(quantity);
  }

  private add(credit: Credit): void {
    let from = 0;
    let until = this.begun.length;
    while (from < until) {
      const middle = Math.floor((from + until) / 2);
      if ((this.begun[middle]?.rank ?? 0) > credit.rank) from = middle + 1;
      else until = middle;
    }
    this.begun.splice(from, 0, credit);
  }
}

// Units covered by one grant, or by none, in the order of use.
interface Step {
  readonly credit: Credit | undefined;
  readonly quantity: Decimal;
}

const sourceRank: Readonly<Record<CreditSource, number>> = { PROMOTIONAL: 0, PAID: 1 };

function expiry({ expiresAt }: GrantTerms): number {
  return expiresAt === null ? Number.MAX_SAFE_INTEGER : expiresAt.getTime();
}

function beyond(used: Decimal, includedUnits: Decimal): Decimal {
  const rest = used.subtract(includedUnits);
  return rest.compare(none) < 0 ? none : rest;
}

function summed(steps: readonly Step[]): Burning {
  const uses = new Map<string, Decimal>();
  let overage = none;
  for (const { credit, quantity } of steps) {
    if (credit === undefined) overage = overage.add(quantity);
    else uses.set(credit.grantId, (uses.get(credit.grantId) ?? none).add(quantity));
  }
  return {
    uses: [...uses].map(([grantId, quantity]) => ({ grantId, quantity })),
    overage,
  };
}

function lesser(a: Decimal, b: Decimal): Decimal {
  return a.compare(b) <= 0 ? a : b;
}
