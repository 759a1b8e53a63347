import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
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

/** A page and whose it is. */
export interface HostedPage extends HostedResource {
  readonly tenant: Tenant;
}

/** The public pages. Documents are only inserted, each before what it shows: a page never leads to nothing for long. */
export class HostedPageStore {
  private readonly documents: Collection<HostedPageDocument>;
  private readonly inserts: InsertBatches<HostedPageDocument>;

  constructor(
    db: Db,
    private readonly site: HostedPageSite,
  ) {
    this.documents = db.collection<HostedPageDocument>('hostedPages');
    this.inserts = new InsertBatches(this.documents);
  }

  /** Where the page is, whether it was opened yet or not. */
  urlOf(resource: HostedResource): string {
    return hostedUrl(resource, this.site);
  }

  /** Makes the page findable. The same again changes nothing. */
  async open({ kind, resourceId, tenant }: HostedPage): Promise<void> {
    const _id = tokenHash(tokenOf({ kind, resourceId }, this.site.secret));
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
    const found = await retryTransient(() => this.documents.findOne({ _id: tokenHash(token) }));
    if (found === null) return undefined;
    const { kind, resourceId, environmentId, organizationId, live, manualClock } = found;
    return { kind, resourceId, tenant: { environmentId, organizationId, live, manualClock } };
  }
}
