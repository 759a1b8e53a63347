import type { CallContext } from '@billing/chassis/call-context';
import { Decimal } from '@billing/kernel/decimal';
import type { CreditAccount, CreditGrant, GrantDetails } from './account';
import { accountsOf } from './account-store';
import type { CustomerGrant } from './closed-credit-store';
import { usagesOf, type UsageDependencies } from './read-running-usage';
import { consumedOf } from './running-usage';

/** A grant with its details and the units consumed of it, the running period included. */
export interface ListedGrant {
  readonly customerId: string;
  readonly meterId: string;
  readonly grant: CreditGrant;
  readonly details: GrantDetails;
  readonly consumed: Decimal;
}

interface Page {
  readonly page: number;
  readonly perPage: number;
  readonly oldestFirst?: boolean;
}

/** A grant of an account, or a closed one with its final consumption. */
interface Candidate {
  readonly meterId: string;
  readonly grant: CreditGrant;
  readonly consumed?: string;
}

const none = Decimal.of(0n);

/** Lists the grants of a customer, newest or oldest first, closed ones included. */
export async function listCreditGrants(
  customerId: string,
  page: Page,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<{ grants: ListedGrant[]; total: number }> {
  const accounts = await accountsOf(dependencies, customerId, context);
  const found = await pageOf({ customerId, accounts }, page, context, dependencies);
  return {
    grants: await describeAll(found, { customerId, accounts }, context, dependencies),
    total: accounts.reduce(
      (sum, { grants, closed }) => sum + grants.length + (closed?.count ?? 0),
      0,
    ),
  };
}

/** All grants of an account, oldest first, closed ones included. */
export async function listGrantsOfAccount(
  account: CreditAccount,
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<ListedGrant[]> {
  const { customerId, meterId, grants, closed } = account;
  const open = grants.map((grant): Candidate => ({ meterId, grant }));
  const openIds = new Set(grants.map(({ id }) => id));
  const all =
    closed === undefined ? [] : await dependencies.closedCreditsOf(context).ofAccount(account);
  const others = all.filter(({ terms }) => !openIds.has(terms.id)).map(toCandidate);
  const found = [...open, ...others].sort(compareOldestFirst);
  return describeAll(found, { customerId, accounts: [account] }, context, dependencies);
}

async function describeAll(
  found: readonly Candidate[],
  { customerId, accounts }: { customerId: string; accounts: readonly CreditAccount[] },
  context: CallContext,
  dependencies: UsageDependencies,
): Promise<ListedGrant[]> {
  const open = found.filter(({ consumed }) => consumed === undefined);
  const meterIds = [...new Set(open.map(({ meterId }) => meterId))];
  const stored = found.filter(({ grant }) => grant.details === undefined);
  const [usages, detailsOf] = await Promise.all([
    usagesOf({ customerId, meterIds, accounts }, context, dependencies),
    dependencies.grantDetailsOf(context).findAll(stored.map(({ grant }) => grant.id)),
  ]);
  const used = new Map(usages.map((usage) => [usage.meter.id, consumedOf(usage)]));
  return found.map(({ meterId, grant, consumed }) => ({
    customerId,
    meterId,
    grant,
    details: grant.details ?? detailsOf(grant.id),
    consumed:
      consumed === undefined ? (used.get(meterId)?.get(grant.id) ?? none) : Decimal.parse(consumed),
  }));
}

/**
 * One page of the accounts' grants merged with the closed ones. The accounts were read first: a
 * grant that they still have is not closed.
 */
async function pageOf(
  { customerId, accounts }: { customerId: string; accounts: readonly CreditAccount[] },
  { page, perPage, oldestFirst = false }: Page,
  context: CallContext,
  { closedCreditsOf }: Pick<UsageDependencies, 'closedCreditsOf'>,
): Promise<Candidate[]> {
  const compare = oldestFirst ? compareOldestFirst : compareNewestFirst;
  const open = accounts
    .flatMap(({ meterId, grants }): Candidate[] => grants.map((grant) => ({ meterId, grant })))
    .toSorted(compare);
  const end = page * perPage;
  if (accounts.every(({ closed }) => closed === undefined)) return open.slice(end - perPage, end);
  const openIds = new Set(open.map(({ grant: { id } }) => id));
  const merged: Candidate[] = [];
  const takeOpenBefore = (next?: Candidate) => {
    for (let first = open[0]; first !== undefined; first = open[0]) {
      if (merged.length === end || (next && compare(next, first) < 0)) return;
      merged.push(first);
      open.shift();
    }
  };
  const closed = closedCreditsOf(context).list(customerId, { batchSize: perPage, oldestFirst });
  for await (const one of closed) {
    if (openIds.has(one.terms.id)) continue;
    const next = toCandidate(one);
    takeOpenBefore(next);
    if (merged.length === end) break;
    merged.push(next);
    if (merged.length === end) break;
  }
  takeOpenBefore();
  return merged.slice(end - perPage, end);
}

function toCandidate({ meterId, terms, amount, consumed }: CustomerGrant): Candidate {
  return { meterId, grant: { ...terms, amount }, consumed };
}

function compareOldestFirst(a: Candidate, b: Candidate): number {
  return compareNewestFirst(b, a);
}

function compareNewestFirst({ grant: a }: Candidate, { grant: b }: Candidate): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);
}
