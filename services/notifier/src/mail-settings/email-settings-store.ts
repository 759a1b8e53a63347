import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Transition } from '@billing/kernel/transition';
import { defaultEmailSettings, type EmailSettings } from './email-settings';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** Settings with the times of their first and last change; without times, nothing was changed. */
export interface DatedEmailSettings {
  readonly state: EmailSettings;
  readonly createdAt?: Date | undefined;
  readonly updatedAt?: Date | undefined;
}

/** Settings of earlier releases have no `kindsWithoutPdf`. */
type StoredEmailSettings = Omit<EmailSettings, 'id' | 'kindsWithoutPdf'> &
  Partial<Pick<EmailSettings, 'kindsWithoutPdf'>> & { readonly _id: string };

export const emailSettingsDefinition: AggregateDefinition<EmailSettings> = {
  collection: 'emailSettings',
  aggregate: 'emailSettings',
  resource: 'Email settings',
  toDocument: ({ id: _id, ...settings }) => settings,
  fromDocument: (document) => {
    const stored = document as unknown as StoredEmailSettings;
    const { _id: id, fromName, fromAddress, replyTo, disabledKinds, kindsWithoutPdf = [] } = stored;
    return { id, fromName, fromAddress, replyTo, disabledKinds, kindsWithoutPdf };
  },
};

/** The settings of each environment, one document under the environment's id. */
export class EmailSettingsStore {
  constructor(private readonly settings: AggregateCollection<EmailSettings>) {}

  /** Reads the settings. Concurrent reads share a query. */
  async read(context: Context): Promise<DatedEmailSettings> {
    const { environmentId } = context.tenant;
    const stored = await this.settings.within(context).find(environmentId);
    return stored ?? { state: defaultEmailSettings(environmentId) };
  }

  /** Decides on the current settings, again after every lost write. */
  async change(
    decide: (settings: EmailSettings) => Transition<EmailSettings>,
    context: Context,
  ): Promise<DatedEmailSettings> {
    const none = defaultEmailSettings(context.tenant.environmentId);
    const changed = await this.settings.changeFrom(none, decide, context);
    return changed ?? { state: none };
  }
}
