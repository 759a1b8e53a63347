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
  private readonly left: Map<string, Decimal>;
  private readonly ordered: readonly BurnableGrant[];
  // Without those that are used up: an account may have thousands of them.
  private usable: readonly BurnableGrant[];
  private steps: Step[] = [];
  private used = none;
  // Units that earlier stretches have burnt; they stay burnt.
  private floor = none;

  constructor(
    grants: readonly BurnableGrant[],
    private includedUnits: Decimal,
  ) {
    this.left = new Map(grants.map(({ id, available }) => [id, available]));
    this.ordered = grants.filter(this.isLeft).sort(compareGrants);
    this.usable = this.ordered;
  }

  /** Begins a stretch with other included units. */
  begin(includedUnits: Decimal): void {
    const burnt = this.steps.filter(({ grantId }) => grantId !== undefined);
    this.includedUnits = includedUnits;
    this.floor = burnt.reduce((sum, { quantity }) => sum.add(quantity), none);
    const open = beyond(this.used, includedUnits).subtract(this.floor);
    const rest = open.compare(none) > 0 ? [{ grantId: undefined, quantity: open }] : [];
    this.steps = [...burnt, ...rest];
  }

  use(usages: readonly UsageAt[]): void {
    for (const { at, quantity } of usages) {
      const before = this.open();
      this.used = this.used.add(quantity);
      const change = this.open().subtract(before);
      const { left, steps, usable } = this;
      if (change.compare(none) < 0) {
        undoUse(none.subtract(change), steps, left);
        this.usable = this.ordered.filter(this.isLeft);
      } else if (cover(change, { at, usable, left, steps })) {
        this.usable = usable.filter(this.isLeft);
      }
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

  private readonly isLeft = ({ id }: BurnableGrant): boolean =>
    (this.left.get(id) ?? none).compare(none) > 0;
}

// Units covered by one grant, or by none, in the order of use.
interface Step {
  readonly grantId: string | undefined;
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

// Returns true if a grant was used up.
function cover(
  units: Decimal,
  {
    at,
    usable,
    left,
    steps,
  }: {
    at: Date;
    usable: readonly BurnableGrant[];
    left: Map<string, Decimal>;
    steps: Step[];
  },
): boolean {
  let open = units;
  let isUsedUp = false;
  for (const grant of usable) {
    if (open.compare(none) === 0) return isUsedUp;
    if (!coversAt(grant, at)) continue;
    const available = left.get(grant.id) ?? none;
    const quantity = lesser(open, available);
    steps.push({ grantId: grant.id, quantity });
    const rest = available.subtract(quantity);
    left.set(grant.id, rest);
    if (rest.compare(none) === 0) isUsedUp = true;
    open = open.subtract(quantity);
  }
  if (open.compare(none) > 0) steps.push({ grantId: undefined, quantity: open });
  return isUsedUp;
}

function undoUse(units: Decimal, steps: Step[], left: Map<string, Decimal>): void {
  let open = units;
  while (open.compare(none) > 0) {
    const last = steps.pop();
    if (last === undefined) throw new Error('More units returned than used');
    const quantity = lesser(open, last.quantity);
    const rest = last.quantity.subtract(quantity);
    const { grantId } = last;
    if (rest.compare(none) > 0) steps.push({ grantId, quantity: rest });
    if (grantId !== undefined) left.set(grantId, (left.get(grantId) ?? none).add(quantity));
    open = open.subtract(quantity);
  }
}

function summed(steps: readonly Step[]): Burning {
  const uses = new Map<string, Decimal>();
  let overage = none;
  for (const { grantId, quantity } of steps) {
    if (grantId === undefined) overage = overage.add(quantity);
    else uses.set(grantId, (uses.get(grantId) ?? none).add(quantity));
  }
  return {
    uses: [...uses].map(([grantId, quantity]) => ({ grantId, quantity })),
    overage,
  };
}

function lesser(a: Decimal, b: Decimal): Decimal {
  return a.compare(b) <= 0 ? a : b;
}
