import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import {
  isWellFormedProof,
  type PortalSession,
  type PortalVisit,
  proofHash,
} from './portal-session';

interface SessionDocument extends PortalSession, Tenant {
  /** The hash of the token, which itself is kept nowhere. */
  readonly _id: string;
}

interface VisitDocument extends PortalVisit, Tenant {
  /** The hash of the secret, which itself is kept nowhere. */
  readonly _id: string;
  /** One visit for each token. */
  readonly tokenHash: string;
}

/** A session or a visit, and whose it is. */
export type OfTenant<T> = T & { readonly tenant: Tenant };

// Until then whoever comes late is told that they are late.
const keptMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Portal sessions and the visits that began with them. Documents are only inserted, but for the end of a visit; the unique index on the
 * token makes it open the door once, whoever races for it.
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

  /** Stores a session under its token. A repeat finds it as first stored. */
  async open(
    token: string,
    { tenant, ...session }: OfTenant<PortalSession>,
  ): Promise<PortalSession> {
    const document = { _id: proofHash(token), ...ownFields(tenant), ...session };
    if (await insertedOnce(this.sessions, document)) return session;
    return (await this.find(token)) ?? session;
  }

  /**
   * The session that a token is of, in whichever environment. It is asked without an environment because its answer says which one it is
   * in; that only the whole token gives the hash makes it safe. No database is asked about what cannot be a token.
   */
  async find(token: string): Promise<OfTenant<PortalSession> | undefined> {
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

  /** Begins the one visit of a token. False where one was begun before, by this secret or by another. */
  async begin(
    { token, secret }: { readonly token: string; readonly secret: string },
    { tenant, ...visit }: OfTenant<PortalVisit>,
  ): Promise<boolean> {
    const proofs = { _id: proofHash(secret), tokenHash: proofHash(token) };
    return insertedOnce(this.visits, { ...proofs, ...ownFields(tenant), ...visit });
  }

  /** The visit that a secret proves, in whichever environment; see `find`. */
  async findVisit(secret: string): Promise<OfTenant<PortalVisit> | undefined> {
    if (!isWellFormedProof(secret)) return undefined;
    const found = await retryTransient(() => this.visits.findOne({ _id: proofHash(secret) }));
    if (found === null) return undefined;
    const { customerId, returnUrl, expiresAt, begunAt, endedAt } = found;
    return { customerId, returnUrl, expiresAt, begunAt, endedAt, tenant: tenantOf(found) };
  }

  /** Ends a visit; one that has ended stays as it is. */
  async end(secret: string, endedAt: Date): Promise<void> {
    const running = { _id: proofHash(secret), endedAt: null };
    await retryTransient(() => this.visits.updateOne(running, { $set: { endedAt } }));
  }

  /** Forgets what is long over. */
  async forgetOld(now: Date): Promise<void> {
    const old = { expiresAt: { $lt: new Date(now.getTime() - keptMs) } };
    // The sessions first: a token without its visit would open the door again.
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
