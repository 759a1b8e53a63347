import type { Filter } from 'mongodb';
import {
  type Stored,
  type AggregateDocument,
  toStored,
  type Page,
} from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { isId } from '@billing/chassis/ids';
import type { Environment } from './environment';
import type { StoredSandbox } from './sandbox-slot';

/** Filter of an organization's environments. */
export interface EnvironmentQuery {
  readonly organizationId: string;
  readonly page: number;
  readonly perPage: number;
  /** True: sandboxes alone. */
  readonly isSandbox?: boolean;
  /** Part of the name in any case, or a whole id; empty: all. */
  readonly search?: string;
}

/**
 * Reads an organization's environments. The queries have no environment, because each environment
 * is stored in itself.
 */
export class EnvironmentStore {
  constructor(private readonly environments: AggregateCollection<Environment>) {}

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.environments.documents, [
      { name: 'organization', key: { organizationId: 1, live: -1, createdAt: -1, _id: -1 } },
    ]);
  }

  /** Live first, then the newest; deleted ones are left out. */
  async list(query: EnvironmentQuery): Promise<Page<Environment>> {
    const { documents, definition } = this.environments;
    const filter = filterOf(query);
    const { page, perPage } = query;
    const [found, total] = await Promise.all([
      retryTransient(() =>
        documents
          .find(filter)
          .sort({ live: -1, createdAt: -1, _id: -1 })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
      ),
      retryTransient(() => documents.countDocuments(filter)),
    ]);
    return { data: found.map((document) => toStored(definition, document)), total };
  }

  /**
   * Sandboxes of all organizations that are not deleted and were created before an instant (real
   * time), in the order of their ids.
   */
  async listSandboxesCreatedBefore(
    madeBefore: Date,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<Stored<Environment>[]> {
    const { documents, definition } = this.environments;
    const old = { live: false, deletedAt: null, createdAt: { $lte: madeBefore } };
    const found = await retryTransient(() =>
      documents
        .find({ ...old, _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
    return found.map((document) => toStored(definition, document));
  }

  /** An organization's sandboxes, including those whose deletion is in progress. */
  async sandboxesOf(organizationId: string): Promise<StoredSandbox[]> {
    const found = await retryTransient(() =>
      this.environments.documents
        .find({ organizationId, live: false })
        .project<{ _id: string; deletedAt?: Date | null }>({ deletedAt: 1 })
        .toArray(),
    );
    return found.map(({ _id: id, deletedAt }) => ({ id, isDeleted: deletedAt instanceof Date }));
  }
}

function filterOf({
  organizationId,
  isSandbox = false,
  search = '',
}: EnvironmentQuery): Filter<AggregateDocument> {
  const known = { organizationId, deletedAt: null, ...(isSandbox && { live: false }) };
  if (search === '') return known;
  if (isId(search)) return { ...known, _id: search };
  return { ...known, name: { $regex: escaped(search), $options: 'i' } };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
