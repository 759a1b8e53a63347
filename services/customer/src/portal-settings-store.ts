import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Transition } from '@billing/kernel/transition';
import { defaultSettings, type PortalSettings } from './portal-settings';

type Context = Pick<CallContext, 'tenant' | 'now'>;

type SettingsDocument = Omit<PortalSettings, 'id' | 'settingsVersion' | 'settingsUpdatedAt'> & {
  readonly _id: string;
  readonly settingsVersion: number | bigint;
  readonly settingsUpdatedAt: Date | null;
};

export const portalSettingsDefinition: AggregateDefinition<PortalSettings> = {
  collection: 'portalSettings',
  aggregate: 'portalSettings',
  resource: 'Portal settings',
  toDocument: ({ id: _id, settingsUpdatedAt, ...settings }) => ({
    ...settings,
    settingsUpdatedAt: settingsUpdatedAt ?? null,
  }),
  fromDocument: (document) => {
    const stored = document as unknown as SettingsDocument;
    return {
      id: stored._id,
      products: stored.products,
      quantity: stored.quantity,
      settingsVersion: Number(stored.settingsVersion),
      settingsUpdatedAt: stored.settingsUpdatedAt ?? undefined,
    };
  },
};

/** The portal settings of each environment, one document under the environment's id. */
export class PortalSettingsStore {
  constructor(private readonly settings: AggregateCollection<PortalSettings>) {}

  async read(context: Context): Promise<PortalSettings> {
    const { environmentId } = context.tenant;
    const stored = await this.settings.within(context).find(environmentId);
    return stored?.state ?? defaultSettings(environmentId);
  }

  /** Decides on the current settings, again after every lost write. */
  async change(
    decide: (settings: PortalSettings, now: Date) => Transition<PortalSettings>,
    context: Context,
  ): Promise<PortalSettings> {
    const none = defaultSettings(context.tenant.environmentId);
    const changed = await this.settings.changeFrom(none, decide, context);
    return changed?.state ?? none;
  }
}
