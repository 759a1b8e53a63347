import type { Collection, Db } from 'mongodb';
import { type TenantFields, tenantOf } from '@billing/chassis/aggregate';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import {
  type HostedPageSite,
  type HostedResource,
  hostedUrl,
  isWellFormedToken,
  type NamedResource,
  resourceOf,
  tokenHash,
  tokenOf,
} from './hosted-page';
import { sessionOfVisit, visitTokenOf } from './visit-token';

/** Fields that are read of the resource behind a page. */
type PageDocument = TenantFields & { readonly _id: string };

interface SessionPageDocument extends PageDocument {
  readonly pageHash: string;
}

/** A page with its tenant. */
export interface HostedPage extends HostedResource {
  readonly tenant: Tenant;
}

const tenantFields = { organizationId: 1, environmentId: 1, live: 1, timeline: 1 };

/** Finds public pages. Only the resources are stored, not the pages. */
export class HostedPageStore {
  private readonly sessions: Collection<SessionPageDocument>;
  private readonly named: Readonly<Record<NamedResource['kind'], Collection<PageDocument>>>;

  constructor(
    db: Db,
    private readonly site: HostedPageSite,
  ) {
    this.sessions = db.collection<SessionPageDocument>('checkoutSessions');
    this.named = {
      CHECKOUT_LINK: db.collection<PageDocument>('checkoutLinks'),
      INVOICE: db.collection<PageDocument>('invoices'),
    };
  }

  async ensureIndexes(): Promise<void> {
    // Without the environment: the hash alone identifies the session.
    await ensureIndexes(this.sessions, [{ name: 'page', key: { pageHash: 1 } }]);
  }

  /** Hash by which the page of a session is found. */
  hashOf(sessionId: string): string {
    const page = { kind: 'CHECKOUT_SESSION', resourceId: sessionId } as const;
    return tokenHash(tokenOf(page, this.site.secret));
  }

  /**
   * Address of a page, even before its resource is stored. A stored session keeps the token from
   * which its hash was computed.
   */
  urlOf(resource: HostedResource, pageHash?: string): string {
    const { url, secret, oldSecrets } = this.site;
    const used = oldSecrets.find((old) => tokenHash(tokenOf(resource, old)) === pageHash);
    return hostedUrl(resource, { url, secret: used ?? secret });
  }

  /** Token that proves to a link's page that its browser ordered the session. */
  visitOf(sessionId: string): string {
    return visitTokenOf(sessionId, this.site.secret);
  }

  /** Session that a visit token names; undefined if the token is invalid. */
  sessionOfVisit(token: string): string | undefined {
    const { secret, oldSecrets } = this.site;
    return sessionOfVisit(token, [secret, ...oldSecrets]);
  }

  /**
   * Finds the page that a token opens, in any environment. The lookup has no environment because
   * its answer says which one the page is in; it is safe because only the complete token finds it.
   * Malformed tokens are rejected without a database query.
   */
  async find(token: string): Promise<HostedPage | undefined> {
    if (!isWellFormedToken(token)) return undefined;
    const { secret, oldSecrets } = this.site;
    const resource = [secret, ...oldSecrets]
      .map((one) => resourceOf(token, one))
      .find((found) => found !== undefined);
    return resource === undefined ? this.findSession(token) : this.findNamed(resource);
  }

  private async findSession(token: string): Promise<HostedPage | undefined> {
    const filter = { pageHash: tokenHash(token) };
    const session = await retryTransient(() =>
      this.sessions.findOne(filter, { projection: tenantFields }),
    );
    if (session === null) return undefined;
    return { kind: 'CHECKOUT_SESSION', resourceId: session._id, tenant: tenantOf(session) };
  }

  private async findNamed({ kind, resourceId }: NamedResource): Promise<HostedPage | undefined> {
    const found = await retryTransient(() =>
      this.named[kind].findOne({ _id: resourceId }, { projection: tenantFields }),
    );
    return found === null ? undefined : { kind, resourceId, tenant: tenantOf(found) };
  }
}
