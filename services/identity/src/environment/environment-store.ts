import type { Filter } from 'mongodb';
import {
  type AggregateDefinition,
  type AggregateDocument,
  type Page,
  type Stored,
  toStored,
} from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Tenant } from '@billing/chassis/call-context';
import { derivedId, isId } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type {
  ClockAdvance,
  ClockAdvanceResult,
  Environment,
  Lease,
  StoredSandbox,
  WaitingCall,
} from './environment';

/** Environments, each in itself. An unfinished advance is resumed when its lease has expired. */
export const environments: AggregateDefinition<Environment> = {
  collection: 'environments',
  aggregate: 'environment',
  resource: 'Environment',
  toDocument: ({ kind, name, clock, deletedAt, deletesAt, advancedAt }) => ({
    kind,
    name,
    deletedAt: deletedAt ?? null,
    deletesAt: deletesAt ?? null,
    advancedAt: advancedAt ?? null,
    clock: toDocumentClock(clock),
  }),
  fromDocument: ({ _id, kind, name, clock, deletedAt, deletesAt, advancedAt }) => ({
    id: _id,
    kind: kind as Environment['kind'],
    name: name as string,
    clock: fromDocumentClock(clock as ClockDocument),
    // Absent in documents of releases without the deletion of sandboxes.
    deletedAt: (deletedAt as Date | null | undefined) ?? undefined,
    // Absent in documents of releases without the deletion of unused sandboxes.
    deletesAt: (deletesAt as Date | null | undefined) ?? undefined,
    advancedAt: (advancedAt as Date | null | undefined) ?? undefined,
  }),
  recoverAt: ({ clock }) => (clock.kind === 'MANUAL' ? clock.lease?.until : undefined),
};

/** Id of an organization's first sandbox. */
export function firstSandboxId(organizationId: string): string {
  return derivedId(organizationId, 'sandbox');
}

/**
 * Tenant of an organization's live environment: there is one, whose id derives from the
 * organization's.
 */
export function liveTenant(organizationId: string): Tenant {
  const environmentId = derivedId(organizationId, 'live');
  return { organizationId, environmentId, live: true, manualClock: false };
}

export function firstSandboxTenant(organizationId: string): Tenant {
  return sandboxTenant(organizationId, firstSandboxId(organizationId), { manualClock: false });
}

export function sandboxTenant(
  organizationId: string,
  environmentId: string,
  { manualClock }: { manualClock: boolean },
): Tenant {
  return { organizationId, environmentId, live: false, manualClock };
}

/** Filter of an organization's environments. */
export interface EnvironmentQuery {
  readonly organizationId: string;
  readonly page: number;
  readonly perPage: number;
  readonly oldestFirst?: boolean;
  /** True: sandboxes alone. */
  readonly isSandbox?: boolean;
  /**
   * Part of the name in any case, the beginning of an id, or of “live” or “sandbox”, under which
   * people see environments without a name; empty: all.
   */
  readonly search?: string;
  /** The only environment to list. */
  readonly id?: string | undefined;
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

  /** An environment of any organization; undefined for an unknown or deleted one. */
  async find(id: string): Promise<Stored<Environment> | undefined> {
    if (!isId(id)) return undefined;
    const { documents, definition } = this.environments;
    const found = await retryTransient(() => documents.findOne({ _id: id, deletedAt: null }));
    return found === null ? undefined : toStored(definition, found);
  }

  /** Live first, then the newest, or the reverse; deleted ones are left out. */
  async list(query: EnvironmentQuery): Promise<Page<Environment>> {
    const { documents, definition } = this.environments;
    const filter = filterOf(query);
    const { page, perPage, oldestFirst = false } = query;
    const direction = oldestFirst ? 1 : -1;
    const [found, total] = await Promise.all([
      retryTransient(() =>
        documents
          .find(filter)
          .sort({ live: direction, createdAt: direction, _id: direction })
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
  id,
}: EnvironmentQuery): Filter<AggregateDocument> {
  const ofKind = { ...(isSandbox && { live: false }), ...(id !== undefined && { _id: id }) };
  const known = { organizationId, deletedAt: null, ...ofKind };
  if (search === '') return known;
  const typed = search.trim().toLowerCase();
  if (isId(typed)) return { ...known, _id: typed };
  const $or: Filter<AggregateDocument>[] = [{ name: { $regex: escaped(typed), $options: 'i' } }];
  if (typed !== '' && 'live'.startsWith(typed)) $or.push({ live: true });
  if (typed !== '' && 'sandbox'.startsWith(typed)) $or.push({ live: false, name: '' });
  if (idStart.test(typed)) $or.push({ _id: { $gte: typed, $lt: `${typed}${afterHex}` } });
  return { ...known, $or };
}

// The beginning of a UUID, and a character that sorts after its digits.
const idStart = /^[0-9a-f]{4}[0-9a-f-]*$/;
const afterHex = 'g';

/** Pattern that matches exactly a text. */
export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

// The server may return a small integer in 64 bits.
type Counted<T extends { readonly processed: number }> = Omit<T, 'processed'> & {
  readonly processed: number | bigint;
};

type ClockDocument =
  | { readonly kind: 'REAL' }
  | {
      readonly kind: 'MANUAL';
      readonly now: Date;
      readonly jumps: readonly Counted<ClockAdvance>[];
      readonly landings: readonly Counted<ClockAdvanceResult>[];
      readonly lease: Lease | null;
      /** Absent in documents of releases that counted waiting calls in each replica. */
      readonly waiting?: readonly WaitingCall[];
    };

function toDocumentClock(clock: Environment['clock']): ClockDocument {
  if (clock.kind === 'REAL') return clock;
  const { kind, now, advances, landings, lease, waiting } = clock;
  return { kind, now, jumps: advances, landings, lease: lease ?? null, waiting };
}

function fromDocumentClock(clock: ClockDocument): Environment['clock'] {
  if (clock.kind === 'REAL') return { kind: 'REAL' };
  return {
    kind: 'MANUAL',
    now: clock.now,
    advances: clock.jumps.map(({ processed, ...advance }) => ({
      ...advance,
      processed: Number(processed),
    })),
    landings: clock.landings.map(({ processed, ...result }) => ({
      ...result,
      processed: Number(processed),
    })),
    lease: clock.lease ?? undefined,
    waiting: clock.waiting ?? [],
  };
}
