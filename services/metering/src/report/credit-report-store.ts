import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { type AccountDocument, accountDefinition, fromClosed } from '../credit/account-store';
import {
  type BurnDayDocument,
  type ClosedCreditCollections,
  type ClosedGrantDocument,
  openClosedCredits,
} from '../credit/closed-credit-store';
import type { ReportedAccount } from './credit-report';

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
    const day = { $gte: since.toISOString().slice(0, 'YYYY-MM-DD'.length) };
    const [begun, ended, days] = await Promise.all([
      retryTransient(() =>
        grants.find({ accountId, 'terms.effectiveAt': { $gte: since } }).toArray(),
      ),
      retryTransient(() =>
        grants
          .find({
            accountId,
            'terms.expiresAt': { $gte: since },
            'terms.effectiveAt': { $lt: since },
          })
          .toArray(),
      ),
      retryTransient(() => burnDays.find({ accountId, day }).toArray()),
    ]);
    const grantsOf = Map.groupBy([...begun, ...ended], (one) => one.accountId);
    const daysOf = Map.groupBy(days, (one) => one.accountId);
    return accounts.map((account) =>
      reported(account, { grants: grantsOf.get(account._id), days: daysOf.get(account._id) }),
    );
  }
}

function reported(
  { meterId, grants, consumptions, burns = [], closed }: AccountFields,
  {
    grants: closedGrants = [],
    days = [],
  }: { readonly grants?: ClosedGrantDocument[]; readonly days?: BurnDayDocument[] } = {},
): ReportedAccount {
  const openIds = new Set(grants.map(({ id }) => id));
  const openDays = new Set(burns.map(({ day }) => day));
  return {
    meterId,
    grants,
    consumptions,
    burns: [...burns, ...days.filter(({ day }) => !openDays.has(day))],
    ...(closed && { closed: fromClosed(closed) }),
    closedGrants: closedGrants.filter(({ _id }) => !openIds.has(_id)),
  };
}
