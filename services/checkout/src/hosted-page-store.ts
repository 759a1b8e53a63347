import type { Collection, Db } from 'mongodb';
import { type TenantFields, tenantOf } from '@billing/chassis/aggregate-document';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes } from '@billing/chassis/indexes';
import { InsertBatches } from '@billing/chassis/insert-batches';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import {
  type HostedPageKind,
  type HostedPageSite,
  type HostedResource,
  hostedUrl,
  isWellFormedToken,
  tokenHash,
  tokenOf,
} from './hosted-page';

interface HostedPageDocument extends Tenant, HostedResource {
  /** The hash of the token, which itself is kept nowhere. */
  readonly _id: string;
  readonly kind: HostedPageKind;
}

/** A session names its page itself, which spares a document. */
interface SessionPageDocument extends TenantFields {
  readonly _id: string;
  readonly pageHash: string;
}

/** A page and whose it is. */
export interface HostedPage extends HostedResource {
  readonly tenant: Tenant;
}

/** The public pages. Documents are only inserted, each before what it shows: a page never leads to nothing for long. */
export class HostedPageStore {
  private readonly documents: Collection<HostedPageDocument>;
  private readonly inserts: InsertBatches<HostedPageDocument>;
  private readonly sessions: Collection<SessionPageDocument>;

  constructor(
    db: Db,
    private readonly site: HostedPageSite,
  ) {
    this.documents = db.collection<HostedPageDocument>('hostedPages');
    this.inserts = new InsertBatches(this.documents);
    this.sessions = db.collection<SessionPageDocument>('checkoutSessions');
  }

  async ensureIndexes(): Promise<void> {
    // Without the environment, as the hash itself says which one it is in.
    await ensureIndexes(this.sessions, [{ name: 'page', key: { pageHash: 1 } }]);
  }

  /** What the page of a resource is found by. */
  hashOf(resource: HostedResource): string {
    return tokenHash(tokenOf(resource, this.site.secret));
  }

  /** Where the page is, whether it was opened yet or not. */
  urlOf(resource: HostedResource): string {
    return hostedUrl(resource, this.site);
  }

  /** Makes the page findable. The same again changes nothing. */
  async open({ kind, resourceId, tenant }: HostedPage): Promise<void> {
    const _id = this.hashOf({ kind, resourceId });
    const { environmentId, organizationId, live, manualClock } = tenant;
    const document = { _id, kind, resourceId, environmentId, organizationId, live, manualClock };
    try {
      await this.inserts.insert(document);
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  /**
   * The page that a token opens, in whichever environment. It is asked without an environment because its answer says which one the page
   * is in; that only the whole token gives the hash makes it safe. No database is asked about what cannot be a token.
   */
  async find(token: string): Promise<HostedPage | undefined> {
    if (!isWellFormedToken(token)) return undefined;
    const hash = tokenHash(token);
    return (await this.findSession(hash)) ?? (await this.findDocument(hash));
  }

  private async findSession(pageHash: string): Promise<HostedPage | undefined> {
    const fields = { organizationId: 1, environmentId: 1, live: 1, timeline: 1 };
    const session = await retryTransient(() =>
      this.sessions.findOne({ pageHash }, { projection: fields }),
    );
    if (session === null) return undefined;
    return { kind: 'CHECKOUT_SESSION', resourceId: session._id, tenant: tenantOf(session) };
  }

  private async findDocument(hash: string): Promise<HostedPage | undefined> {
    const found = await retryTransient(() => this.documents.findOne({ _id: hash }));
    if (found === null) return undefined;
    const { kind, resourceId, environmentId, organizationId, live, manualClock } = found;
    return { kind, resourceId, tenant: { environmentId, organizationId, live, manualClock } };
  }
}
