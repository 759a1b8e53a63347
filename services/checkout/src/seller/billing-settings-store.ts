import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Transition } from '@billing/kernel/transition';
import type { BrandingStore } from './branding-store';
import {
  type BillingSettings,
  offSettings,
  type OwnTaxRate,
  type Seller,
} from './billing-settings';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** A whole number as it is read from the database. */
type Count = number | bigint;

type SettingsDocument = Omit<
  BillingSettings,
  'id' | 'sellerVersion' | 'sellerUpdatedAt' | 'seller' | 'ownRates'
> & {
  readonly _id: string;
  readonly sellerVersion: Count;
  readonly sellerUpdatedAt: Date | null;
  readonly seller: Omit<Seller, 'netDays' | 'logo'> & {
    readonly netDays: Count;
    readonly logo: LogoDocument | null;
  };
  readonly ownRates: readonly (Omit<OwnTaxRate, 'version'> & { readonly version: Count })[];
};

type LogoDocument = Omit<NonNullable<Seller['logo']>, 'width' | 'height' | 'size'> &
  Readonly<Record<'width' | 'height' | 'size', Count>>;

export const billingSettingsDefinition: AggregateDefinition<BillingSettings> = {
  collection: 'billingSettings',
  aggregate: 'billingSettings',
  resource: 'Billing settings',
  toDocument: ({ id: _id, sellerUpdatedAt, ...settings }) => ({
    ...settings,
    sellerUpdatedAt: sellerUpdatedAt ?? null,
  }),
  fromDocument: (document) => {
    const stored = document as unknown as SettingsDocument;
    return {
      id: stored._id,
      seller: {
        ...stored.seller,
        netDays: Number(stored.seller.netDays),
        logo: stored.seller.logo && readLogo(stored.seller.logo),
      },
      sellerVersion: Number(stored.sellerVersion),
      sellerUpdatedAt: stored.sellerUpdatedAt ?? undefined,
      ownRates: stored.ownRates.map((rate) => ({ ...rate, version: Number(rate.version) })),
    };
  },
};

/** The billing settings of each environment, one document under the environment's id. */
export class BillingSettingsStore {
  constructor(
    private readonly settings: AggregateCollection<BillingSettings>,
    private readonly brandings: BrandingStore,
  ) {}

  /** Reads the settings. Concurrent reads share a query. */
  async read(context: Context): Promise<BillingSettings> {
    const { environmentId } = context.tenant;
    const stored = await this.settings.within(context).find(environmentId);
    return stored?.state ?? offSettings(environmentId);
  }

  /** Reads the settings by which an invoice is written, and the locale of customers without one. */
  async readForInvoice(
    context: Context,
  ): Promise<{ readonly settings: BillingSettings; readonly defaultLocale: string }> {
    const [settings, { state }] = await Promise.all([
      this.read(context),
      this.brandings.read(context),
    ]);
    return { settings, defaultLocale: state.defaultLocale };
  }

  /** Decides on the current settings, again after every lost write. */
  async change(
    decide: (settings: BillingSettings, now: Date) => Transition<BillingSettings>,
    context: Context,
  ): Promise<BillingSettings> {
    const none = offSettings(context.tenant.environmentId);
    const changed = await this.settings.changeFrom(none, decide, context);
    return changed?.state ?? none;
  }
}

function readLogo({ width, height, size, ...logo }: LogoDocument): NonNullable<Seller['logo']> {
  return { ...logo, width: Number(width), height: Number(height), size: Number(size) };
}
