import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { Decimal } from '@billing/kernel/decimal';
import {
  type AccountDocument,
  accountDefinition,
  fromClosed,
  fromConsumption,
} from '../credit/account-store';
import {
  type BurnDayDocument,
  type ClosedCreditCollections,
  type ClosedGrantDocument,
  openClosedCredits,
} from '../credit/closed-credit-store';
import type { ReportedAccount, ReportedClosedGrant } from './credit-report';

const cursorBatch = 2_000;
// Accounts whose closed parts are read with one query.
const accountsMax = 500;

type AccountFields = Pick<
  AccountDocument,
  'meterId' | 'grants' | 'consumptions' | 'burns' | 'closed'
> & { readonly _id: string };

/** Credit accounts of all environments, read for reports. */
export class CreditReportStore {
  private readonly accounts: Collection<AccountDocument & { _id: string }>;
  private readonly closed: ClosedCreditCollections;

  constructor(db: Db) {
    this.accounts = db.collection(accountDefinition.collection);
    this.closed = openClosedCredits(db);
  }

  /**
   * Accounts of an environment that have ever had a grant, in no particular order, with everything
   * that happened in them since an instant. Most accounts have none: they record what was settled
   * without credits.
   */
  async *withGrants({ environmentId }: Tenant, since: Date): AsyncGenerator<ReportedAccount> {
    const cursor = this.accounts
      // Accounts stored before this field existed may have grants.
      .find({ environmentId, hasGrants: { $in: [true, null] } })
      .project<AccountFields>({ meterId: 1, grants: 1, consumptions: 1, burns: 1, closed: 1 })
      .batchSize(cursorBatch);
    let waiting: AccountFields[] = [];
    for await (const account of cursor) {
      if (account.closed) waiting.push(account);
      else yield reported(account);
      if (waiting.length < accountsMax) continue;
      yield* await this.withClosed(waiting, since);
      waiting = [];
    }
    yield* await this.withClosed(waiting, since);
  }

  /** Adds closed parts. The accounts were read first: what they still have is not closed. */
  private async withClosed(
    accounts: readonly AccountFields[],
    since: Date,
  ): Promise<ReportedAccount[]> {
    if (accounts.length === 0) return [];
    const accountId = { $in: accounts.map(({ _id }) => _id) };
    const { grants, burnDays } = this.closed;
    const day = { $gte: dayOf(since) };
    const closedGrants = new ClosedGrantSums(accounts);
    const begun = { accountId, 'terms.effectiveAt': { $gte: since } };
    const ended = {
      accountId,
      'terms.expiresAt': { $gte: since },
      'terms.effectiveAt': { $lt: since },
    };
    const [days] = await Promise.all([
      retryTransient(() => burnDays.find({ accountId, day }).toArray()),
      closedGrants.addAll(grants.find(begun).batchSize(cursorBatch)),
      closedGrants.addAll(grants.find(ended).batchSize(cursorBatch)),
    ]);
    const daysOf = Map.groupBy(days, (one) => one.accountId);
    return accounts.map((account) =>
      reported(account, { grants: closedGrants.of(account), days: daysOf.get(account._id) }),
    );
  }
}

/**
 * Closed grants of accounts, added up by the days on which they took effect and expire: an account
 * may have a hundred thousand.
 */
class ClosedGrantSums {
  private readonly openIds: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly sums = new Map<string, Map<string, ReportedClosedGrant>>();

  constructor(accounts: readonly AccountFields[]) {
    this.openIds = new Map(
      accounts.map(({ _id, grants }) => [_id, new Set(grants.map(({ id }) => id))]),
    );
  }

  async addAll(grants: AsyncIterable<ClosedGrantDocument>): Promise<void> {
    for await (const grant of grants) {
      // An account that still has the grant was read first.
      if (this.openIds.get(grant.accountId)?.has(grant._id) !== true) this.add(grant);
    }
  }

  of({ _id }: AccountFields): ReportedClosedGrant[] {
    return [...(this.sums.get(_id)?.values() ?? [])];
  }

  private add({ accountId, amount, consumed, terms }: ClosedGrantDocument): void {
    const own = this.sums.get(accountId) ?? new Map<string, ReportedClosedGrant>();
    this.sums.set(accountId, own);
    const { effectiveAt, expiresAt } = terms;
    const key = `${dayOf(effectiveAt)} ${expiresAt === null ? '' : dayOf(expiresAt)}`;
    const known = own.get(key);
    own.set(key, {
      amount: plus(known?.amount, amount),
      consumed: plus(known?.consumed, consumed),
      terms: known?.terms ?? { effectiveAt, expiresAt },
    });
  }
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function plus(sum = '0', units: string): string {
  return Decimal.parse(sum).add(Decimal.parse(units)).toString();
}

function reported(
  { meterId, grants, consumptions, burns = [], closed }: AccountFields,
  {
    grants: closedGrants = [],
    days = [],
  }: { readonly grants?: ReportedClosedGrant[]; readonly days?: BurnDayDocument[] } = {},
): ReportedAccount {
  const openDays = new Set(burns.map(({ day }) => day));
  return {
    meterId,
    grants,
    consumptions: consumptions.map(fromConsumption),
    burns: [...burns, ...days.filter(({ day }) => !openDays.has(day))],
    ...(closed && { closed: fromClosed(closed) }),
    closedGrants,
  };
}
