import { realTimeline } from '@billing/chassis/call-context';
import {
  type FingerprintDocument,
  fingerprintCollection,
} from '@billing/chassis/secret-fingerprints';
import type { Db, Document, Filter } from 'mongodb';
import type { OldSecret } from './checks';

/** Documents that a replaced secret may still be needed for. */
interface Dependents {
  readonly collection: string;
  /** One of them, in words; several take an s. */
  readonly noun: string;
  /** Those in use at real time `now`. */
  readonly used: (now: Date) => Filter<Document>;
  /** Those that need the former secret; by default those created before it was replaced. */
  readonly former?: (replaced: Replaced) => Filter<Document>;
}

type Replaced = FingerprintDocument & { readonly replacedAt: Date };

// Processes with the former configuration may write for a while after the first one with the newer.
const rolloutMs = 60 * 60_000;

const unexpired = (now: Date) => ({ $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] });
// Pages of sandboxes with a clock of their own do not tell when they were created.
const inRealTime = { timeline: realTimeline };

/** What depends on a secret that a service can replace, by service. */
const secrets: Readonly<Record<string, { variable: string; dependents: readonly Dependents[] }>> = {
  identity: {
    variable: 'API_KEY_PEPPER',
    dependents: [
      {
        collection: 'apiKeys',
        noun: 'API key',
        used: (now) => ({ revokedAt: null, ...unexpired(now) }),
        former: ({ fingerprint }) => ({ pepper: { $ne: fingerprint } }),
      },
      {
        collection: 'operatorSessions',
        noun: 'session',
        used: (now) => ({ endedAt: null, expiresAt: { $gt: now } }),
      },
      {
        collection: 'invitations',
        noun: 'invitation',
        used: (now) => ({ acceptedBy: null, expiresAt: { $gt: now } }),
      },
      {
        collection: 'resetLinks',
        noun: 'reset link',
        used: (now) => ({ expiresAt: { $gt: now } }),
      },
    ],
  },
  checkout: {
    variable: 'HOSTED_PAGE_SECRET',
    dependents: [
      {
        collection: 'checkoutSessions',
        noun: 'open checkout session',
        used: () => ({ ...inRealTime, phase: { $in: ['CREATING', 'READY', 'PAYING'] } }),
      },
      {
        collection: 'checkoutLinks',
        noun: 'checkout link',
        used: () => ({ ...inRealTime, active: true }),
      },
      {
        collection: 'invoices',
        noun: 'open invoice',
        used: () => ({ ...inRealTime, status: 'OPEN' }),
      },
      {
        // Receipts that were mailed link to it.
        collection: 'invoices',
        noun: 'ended invoice',
        used: () => ({ ...inRealTime, status: { $nin: ['DRAFT', 'OPEN'] } }),
      },
    ],
  },
  customer: {
    variable: 'HOSTED_PAGE_SECRET',
    dependents: [
      {
        collection: 'portalSessions',
        noun: 'portal session',
        used: (now) => ({ expiresAt: { $gt: now } }),
        // A session expires an hour after its creation, which is not stored.
        former: ({ replacedAt }) => ({
          expiresAt: { $lt: new Date(replacedAt.getTime() + rolloutMs + 60 * 60_000) },
        }),
      },
    ],
  },
};

/** Counts what needs the former value of a service's secret; undefined without such a secret. */
export async function readOldSecret(
  db: Db,
  service: string,
  now: Date,
): Promise<OldSecret | undefined> {
  const secret = secrets[service];
  if (secret === undefined) return undefined;
  const { variable, dependents } = secret;
  const stored = await db
    .collection<FingerprintDocument>(fingerprintCollection)
    .findOne({ _id: variable });
  if (stored?.replacedAt === undefined) return { variable, needs: undefined };
  const replaced = { ...stored, replacedAt: stored.replacedAt };
  const needs = new Map<string, number>();
  for (const { collection, noun, used, former = createdBefore } of dependents) {
    const filter = { $and: [used(now), former(replaced)] };
    const count = await db.collection(collection).countDocuments(filter);
    if (count > 0) needs.set(noun, count);
  }
  return { variable, needs };
}

function createdBefore({ replacedAt }: Replaced): Filter<Document> {
  return { createdAt: { $lt: new Date(replacedAt.getTime() + rolloutMs) } };
}
