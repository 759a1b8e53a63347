import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { insertMissing } from '@billing/chassis/inserts';
import { retryTransient } from '@billing/chassis/mongo';
import type { CreditAccount, GrantDetails } from './account';

/**
 * Name and metadata of a grant; only an erasure changes them. A grant without either has no
 * document.
 */
interface GrantDetailsDocument {
  /** Id of the grant. */
  readonly _id: string;
  readonly environmentId: string;
  readonly accountId: string;
  readonly name: string | null;
  /** JSON text: the keys may contain dots, which the database would read as paths. */
  readonly metadata: string;
}

export type GrantDetailsCollection = Collection<GrantDetailsDocument>;

export function openGrantDetails(db: Db): GrantDetailsCollection {
  return db.collection<GrantDetailsDocument>('creditGrants');
}

const batchMax = 1_000;
const noDetails: GrantDetails = { name: null, metadata: {} };

/** Details of the credit grants of one environment. */
export class GrantDetailsStore {
  constructor(
    private readonly documents: GrantDetailsCollection,
    private readonly tenant: Pick<Tenant, 'environmentId'>,
  ) {}

  /** Stores the details of grants of an account that have none stored yet. */
  async insert(
    { id: accountId }: Pick<CreditAccount, 'id'>,
    grants: ReadonlyMap<string, GrantDetails>,
  ): Promise<void> {
    const { environmentId } = this.tenant;
    const documents = [...grants]
      .filter(([, { name, metadata }]) => name !== null || Object.keys(metadata).length > 0)
      .map(([_id, { name, metadata }]) => ({
        _id,
        environmentId,
        accountId,
        name,
        metadata: JSON.stringify(metadata),
      }));
    for (let first = 0; first < documents.length; first += batchMax) {
      await insertMissing(this.documents, documents.slice(first, first + batchMax));
    }
  }

  /**
   * Stores the details that an account of an earlier version still has, and returns the ids of
   * their grants.
   */
  async takeFrom(account: CreditAccount): Promise<ReadonlySet<string>> {
    const found = account.grants.flatMap(({ id, details }) =>
      details === undefined ? [] : [[id, details] as const],
    );
    const grants = new Map(found);
    await this.insert(account, grants);
    return new Set(grants.keys());
  }

  /** Removes the metadata of some grants. */
  async eraseMetadata(grantIds: readonly string[]): Promise<void> {
    const { environmentId } = this.tenant;
    for (let first = 0; first < grantIds.length; first += batchMax) {
      const some = grantIds.slice(first, first + batchMax);
      const filter = { _id: { $in: some }, environmentId };
      await retryTransient(() =>
        this.documents.updateMany(filter, { $set: { metadata: JSON.stringify({}) } }),
      );
    }
  }

  /** Returns a lookup for the details of some grants. */
  async findAll(grantIds: readonly string[]): Promise<(grantId: string) => GrantDetails> {
    const { environmentId } = this.tenant;
    const filter = { _id: { $in: [...grantIds] }, environmentId };
    const found =
      grantIds.length === 0
        ? []
        : await retryTransient(() => this.documents.find(filter).toArray());
    const known = new Map(
      found.map(({ _id, name, metadata }) => [
        _id,
        { name, metadata: JSON.parse(metadata) as Record<string, unknown> },
      ]),
    );
    return (grantId) => known.get(grantId) ?? noDetails;
  }
}
