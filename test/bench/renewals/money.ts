import type { Bench, Effort } from '../report/bench';
import { type Comparison, compare, type Side } from '../figures/comparison';
import type { Demand } from '../figures/statistics';
import { inNewSandbox, setSeller } from '../stage/api';
import type { Stage, StagedSystem } from '../stage/stage';
import { countIn, renewalSide } from './renewal-side';
import { RenewalSeed } from './seed';

// Less than an invoice, so that every invoice stays OPEN with and without it.
const balance = 549;
const kinds = {
  off: { name: 'tax off', hasTax: false, balance: 0 },
  tax: { name: 'tax and seller', hasTax: true, balance: 0 },
  balance: { name: 'balances', hasTax: false, balance },
} as const;

type Kind = (typeof kinds)[keyof typeof kinds];

/** Renewals in a sandbox of their own, each subscription with its own customer. */
interface Renewing {
  readonly kind: Kind;
  readonly seed: RenewalSeed;
  readonly side: Side;
}

/**
 * P7 with what an invoice may take more: taxes and parties, or money from its customer's balance.
 * Both sides are sandboxes of one system.
 */
export const moneyRenewals: Bench = {
  name: 'money-renewals',
  title: 'renewals with taxes, and with a balance of every customer, against neither',
  run: async (stage, effort) => {
    const system = await stage.system();
    const all: Renewing[] = [];
    try {
      const opened = async (kind: Kind) => {
        const one = await renewingIn(system, kind);
        all.push(one);
        return one;
      };
      const off = await opened(kinds.off);
      const against = (one: Renewing, demand: Demand) =>
        compared({ one, off, demand }, { stage, effort });
      const taxed = await against(await opened(kinds.tax), { atLeast: 0.9 });
      const paid = await against(await opened(kinds.balance), { atLeast: 0.6 });
      for (const one of all) await check(one);
      return { comparisons: [taxed, paid] };
    } finally {
      for (const { seed } of all) await seed.close();
    }
  },
};

function compared(
  { one, off, demand }: { one: Renewing; off: Renewing; demand: Demand },
  { stage, effort }: { stage: Stage; effort: Effort },
): Promise<Comparison> {
  return compare({
    ...effort,
    id: 'M2',
    title: `renew + invoice, a customer each, ${one.kind.name} : ${off.kind.name}`,
    unit: 'renewals/s',
    ours: one.side,
    floor: off.side,
    demand,
    sharedPids: () => stage.sharedPids(),
    log: stage.log,
  });
}

async function renewingIn(system: StagedSystem, kind: Kind): Promise<Renewing> {
  const sandbox = await inNewSandbox(system, kind.name);
  if (kind.hasTax) await setSeller(sandbox);
  const seed = await RenewalSeed.open(sandbox, kind);
  const side = renewalSide(sandbox, seed, kind.name);
  const prepare = async (seconds: number) => {
    // Stored before the subscriptions, which become due soon afterwards.
    await seed.customers?.store(countIn(seconds));
    await side.prepare?.(seconds);
  };
  return { kind, seed, side: { ...side, prepare } };
}

/** Throws if an invoice of a renewal lacks its taxes or its part of the balance, or has any. */
async function check({ kind, seed }: Renewing): Promise<void> {
  const { environmentId } = seed.template;
  const renewed = { environmentId, isTombstone: false, billingReason: 'SUBSCRIPTION_CYCLE' };
  const count = await seed.invoices.countDocuments(renewed);
  const asWanted = await seed.invoices.countDocuments({
    ...renewed,
    balanceApplied: kind.balance,
    'finalization.taxes': kind.hasTax ? { $ne: null } : null,
  });
  if (count === 0 || asWanted < count) {
    throw new Error(`${kind.name}: ${String(asWanted)} of ${String(count)} invoices as wanted`);
  }
}
