import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { type AccountDocument, accountDefinition } from '../credit/account-store';
import type { ReportedAccount } from './credit-report';

const cursorBatch = 2_000;

/** Credit accounts of all environments, read for reports. */
export class CreditReportStore {
  private readonly accounts: Collection<AccountDocument>;

  constructor(db: Db) {
    this.accounts = db.collection<AccountDocument>(accountDefinition.collection);
  }

  /**
   * Accounts of an environment that have ever had a grant, in no particular order. Most accounts
   * have none: they record what was settled without credits.
   */
  async *withGrants({ environmentId }: Tenant): AsyncGenerator<ReportedAccount> {
    const cursor = this.accounts
      // Accounts stored before this field existed may have grants.
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
