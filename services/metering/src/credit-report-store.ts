import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { type AccountDocument, accountDefinition } from './account-store';
import type { ReportedAccount } from './credit-report';

const cursorBatch = 2_000;

/** The credit accounts of all environments as far as reports read them. */
export class CreditReportStore {
  private readonly accounts: Collection<AccountDocument>;

  constructor(db: Db) {
    this.accounts = db.collection<AccountDocument>(accountDefinition.collection);
  }

  /** Every account of an environment that has had a grant, in no particular order. Most have none: they keep what was settled without. */
  async *withGrants({ environmentId }: Tenant): AsyncGenerator<ReportedAccount> {
    const cursor = this.accounts
      // Those that were stored before this was noted may have any.
      .find({ environmentId, hasGrants: { $in: [true, null] } })
      .project<Pick<AccountDocument, 'meterId' | 'grants' | 'consumptions' | 'burns'>>({
        meterId: 1,
        grants: 1,
        consumptions: 1,
        burns: 1,
      })
      .batchSize(cursorBatch);
    for await (const { meterId, grants, consumptions, burns = [] } of cursor) {
      yield { meterId, grants, consumptions, burns };
    }
  }
}
