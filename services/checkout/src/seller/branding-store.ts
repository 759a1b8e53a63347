import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Transition } from '@billing/kernel/transition';
import { type Branding, defaultBranding } from './branding';

type Context = Pick<CallContext, 'tenant' | 'now'>;

type BrandingDocument = Omit<Branding, 'id'> & { readonly _id: string };

/** A branding with the times of its first and last change; without times, nothing was changed. */
export interface DatedBranding {
  readonly state: Branding;
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
}

export const brandingDefinition: AggregateDefinition<Branding> = {
  collection: 'brandings',
  aggregate: 'branding',
  resource: 'Branding',
  toDocument: ({ id: _id, ...branding }) => branding,
  fromDocument: (document) => {
    const stored = document as unknown as BrandingDocument;
    const { displayName, accentColor, supportEmail, supportUrl, termsUrl, privacyUrl } = stored;
    const { _id: id, defaultLocale } = stored;
    return {
      ...{ id, displayName, accentColor, supportEmail, supportUrl, termsUrl, privacyUrl },
      defaultLocale,
    };
  },
};

/** The branding of each environment, one document under the environment's id. */
export class BrandingStore {
  constructor(private readonly brandings: AggregateCollection<Branding>) {}

  /** Reads the branding. Concurrent reads share a query. */
  async read(context: Context): Promise<DatedBranding> {
    const { environmentId } = context.tenant;
    const stored = await this.brandings.within(context).find(environmentId);
    return stored ?? { state: defaultBranding(environmentId) };
  }

  /** Decides on the current branding, again after every lost write. */
  async change(
    decide: (branding: Branding) => Transition<Branding>,
    context: Context,
  ): Promise<DatedBranding> {
    const none = defaultBranding(context.tenant.environmentId);
    const changed = await this.brandings.changeFrom(none, decide, context);
    return changed ?? { state: none };
  }
}
