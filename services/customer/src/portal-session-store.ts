import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import {
  ensureIndexes,
  duplicateKeyIndex,
  retireUniqueIndex,
  retryTransient,
} from '@billing/chassis/mongo';
import {
  isWellFormedProof,
  type PortalSession,
  type PortalVisit,
  proofHash,
} from './portal-session';

interface SessionDocument extends PortalSession, Tenant {
  /** Hash of the token. The token itself is not stored. */
  readonly _id: string;
  /** Id of the only visit that the token starts; absent until then. */
  readonly visitId?: string;
}

interface VisitDocument extends PortalVisit, Tenant {
  /** Hash of the secret. The secret itself is not stored. */
  readonly _id: string;
  /** Only in visits that an earlier version stored. */
  readonly tokenHash?: string;
}

/** A session or a visit with its tenant. */
export type WithTenant<T> = T & { readonly tenant: Tenant };

// Until then, a late caller gets "expired" instead of "not found".
const retentionMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Portal sessions and the visits that they started. A token is used only once, even by concurrent
 * requests: of the visits that are stored for it, a compare-and-set on its session picks one.
 */
export class PortalSessionStore {
  private readonly sessions: Collection<SessionDocument>;
  private readonly visits: Collection<VisitDocument>;

  constructor(db: Db) {
    this.sessions = db.collection<SessionDocument>('portalSessions');
    this.visits = db.collection<VisitDocument>('portalVisits');
  }

  async ensureIndexes(): Promise<void> {
    const indexes = [
      { name: 'expiresAt', key: { expiresAt: 1 } },
      { name: 'customer', key: { environmentId: 1, customerId: 1 } },
    ] as const;
    await ensureIndexes(this.sessions, indexes);
    await ensureIndexes(this.visits, indexes);
    await retireUniqueIndex(this.visits, 'token', () => this.recordOldVisits());
  }

  /** Stores a session under its token hash. A retry finds the session as first stored. */
  async insert(
    token: string,
    { tenant, ...session }: WithTenant<PortalSession>,
  ): Promise<PortalSession> {
    const document = { _id: proofHash(token), ...ownFields(tenant), ...session };
    if (await insertedOnce(this.sessions, document)) return session;
    return (await this.find(token)) ?? session;
  }

  /**
   * Finds a session by token across all environments. The query has no environment because its
   * result determines it; it is safe because only the complete token yields the hash. A malformed
   * token needs no query.
   */
  async find(token: string): Promise<WithTenant<PortalSession> | undefined> {
    if (!isWellFormedProof(token)) return undefined;
    const found = await retryTransient(() => this.sessions.findOne({ _id: proofHash(token) }));
    if (found === null) return undefined;
    const { customerId, returnUrl, expiresAt } = found;
    return { customerId, returnUrl, expiresAt, tenant: tenantOf(found) };
  }

  async isUsed(token: string): Promise<boolean> {
    const session = await retryTransient(() => this.sessions.findOne({ _id: proofHash(token) }));
    return session?.visitId !== undefined;
  }

  /**
   * Starts the only visit of a token. False if a visit was already started, by this secret or
   * another. A visit that loses stays, but its secret is never sent.
   */
  async startVisit(
    { token, secret }: { readonly token: string; readonly secret: string },
    { tenant, ...visit }: WithTenant<PortalVisit>,
  ): Promise<boolean> {
    const visitId = proofHash(secret);
    await insertedOnce(this.visits, { _id: visitId, ...ownFields(tenant), ...visit });
    const unused = { _id: proofHash(token), visitId: { $exists: false } };
    const { matchedCount } = await retryTransient(() =>
      this.sessions.updateOne(unused, { $set: { visitId } }),
    );
    return matchedCount > 0;
  }

  /** The visit of a token, if this secret started it. */
  async findStarted({
    token,
    secret,
  }: {
    readonly token: string;
    readonly secret: string;
  }): Promise<WithTenant<PortalVisit> | undefined> {
    const session = await retryTransient(() => this.sessions.findOne({ _id: proofHash(token) }));
    return session?.visitId === proofHash(secret) ? this.findVisit(secret) : undefined;
  }

  /** Finds a visit by secret across all environments; see `find`. */
  async findVisit(secret: string): Promise<WithTenant<PortalVisit> | undefined> {
    if (!isWellFormedProof(secret)) return undefined;
    const found = await retryTransient(() => this.visits.findOne({ _id: proofHash(secret) }));
    if (found === null) return undefined;
    const { customerId, returnUrl, expiresAt, begunAt, endedAt } = found;
    return { customerId, returnUrl, expiresAt, begunAt, endedAt, tenant: tenantOf(found) };
  }

  /** Ends a visit; an ended visit stays unchanged. */
  async endVisit(secret: string, endedAt: Date): Promise<void> {
    const running = { _id: proofHash(secret), endedAt: null };
    await retryTransient(() => this.visits.updateOne(running, { $set: { endedAt } }));
  }

  /** Deletes the sessions and visits of a customer. */
  async deleteOf(
    customerId: string,
    { environmentId }: Pick<Tenant, 'environmentId'>,
  ): Promise<void> {
    const owned = { environmentId, customerId };
    await retryTransient(() => this.sessions.deleteMany(owned));
    await retryTransient(() => this.visits.deleteMany(owned));
  }

  /** Deletes sessions and visits past their retention time. */
  async deleteExpired(now: Date): Promise<void> {
    const old = { expiresAt: { $lt: new Date(now.getTime() - retentionMs) } };
    await this.sessions.deleteMany(old);
    await this.visits.deleteMany(old);
  }

  private async recordOldVisits(): Promise<void> {
    for await (const { _id: visitId, tokenHash } of this.visits.find()) {
      if (tokenHash === undefined) continue;
      await retryTransient(() =>
        this.sessions.updateOne({ _id: tokenHash }, { $set: { visitId } }),
      );
    }
  }
}

/** Inserts a document. Returns false if one with its id exists. */
async function insertedOnce<T extends { readonly _id: string }>(
  collection: Collection<T>,
  document: T,
): Promise<boolean> {
  try {
    const inserted = document as Parameters<Collection<T>['insertOne']>[0];
    await retryTransient(() => collection.insertOne(inserted));
    return true;
  } catch (error) {
    if (duplicateKeyIndex(error) === undefined) throw error;
    return false;
  }
}

function ownFields({ environmentId, organizationId, live, manualClock }: Tenant): Tenant {
  return { environmentId, organizationId, live, manualClock };
}

function tenantOf(document: SessionDocument): Tenant {
  return ownFields(document);
}
