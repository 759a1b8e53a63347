import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import {
  isWellFormedProof,
  type PortalSession,
  type PortalVisit,
  proofHash,
} from './portal-session';

interface SessionDocument extends PortalSession, Tenant {
  /** Hash of the token. The token itself is not stored. */
  readonly _id: string;
}

interface VisitDocument extends PortalVisit, Tenant {
  /** Hash of the secret. The secret itself is not stored. */
  readonly _id: string;
  /** Unique: one visit per token. */
  readonly tokenHash: string;
}

/** A session or a visit with its tenant. */
export type WithTenant<T> = T & { readonly tenant: Tenant };

// Until then, a late caller gets "expired" instead of "not found".
const retentionMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Portal sessions and the visits that they started. Insert-only, except for the end of a visit. The
 * unique index on the token hash lets a token be used only once, even by concurrent requests.
 */
export class PortalSessionStore {
  private readonly sessions: Collection<SessionDocument>;
  private readonly visits: Collection<VisitDocument>;

  constructor(db: Db) {
    this.sessions = db.collection<SessionDocument>('portalSessions');
    this.visits = db.collection<VisitDocument>('portalVisits');
  }

  async ensureIndexes(): Promise<void> {
    const expiry = { name: 'expiresAt', key: { expiresAt: 1 } } as const;
    await ensureIndexes(this.sessions, [expiry]);
    const token = { name: 'token', key: { tokenHash: 1 }, unique: true } as const;
    await ensureIndexes(this.visits, [expiry, token]);
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
    const tokenHash = proofHash(token);
    return (await retryTransient(() => this.visits.findOne({ tokenHash }))) !== null;
  }

  /**
   * Starts the only visit of a token. False if a visit was already started, by this secret or
   * another.
   */
  async startVisit(
    { token, secret }: { readonly token: string; readonly secret: string },
    { tenant, ...visit }: WithTenant<PortalVisit>,
  ): Promise<boolean> {
    const proofs = { _id: proofHash(secret), tokenHash: proofHash(token) };
    return insertedOnce(this.visits, { ...proofs, ...ownFields(tenant), ...visit });
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

  /** Deletes sessions and visits past their retention time. */
  async deleteExpired(now: Date): Promise<void> {
    const old = { expiresAt: { $lt: new Date(now.getTime() - retentionMs) } };
    // Sessions first: a token whose visit is deleted could be used again.
    await this.sessions.deleteMany(old);
    await this.visits.deleteMany(old);
  }
}

async function insertedOnce<T extends SessionDocument>(
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
