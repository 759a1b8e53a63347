import { staleVersion } from '@billing/kernel/domain-error';
import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';

const productsMax = 20;

/** Changes that customers may make in the portal. Each environment has one such document. */
export interface PortalSettings {
  /** Id of the environment. */
  readonly id: string;
  /** Products that customers may change to. */
  readonly products: readonly string[];
  /** True if customers may change the quantity. */
  readonly quantity: boolean;
  /** Counts changes; 0 before the first. */
  readonly settingsVersion: number;
  /** Environment time of the latest change. */
  readonly settingsUpdatedAt: Date | undefined;
}

/** Changes of the settings: an absent field stays. */
export type PortalSettingsChanges = Partial<Pick<PortalSettings, 'products' | 'quantity'>>;

/** Settings of an environment that has set nothing: customers change no plan. */
export function defaultSettings(environmentId: string): PortalSettings {
  return {
    id: environmentId,
    products: [],
    quantity: false,
    settingsVersion: 0,
    settingsUpdatedAt: undefined,
  };
}

/** Changes the settings, unless they have another version than the expected one. */
export function changePortalSettings(
  settings: PortalSettings,
  changes: PortalSettingsChanges,
  { expectedVersion, now }: { readonly expectedVersion: number | undefined; readonly now: Date },
): Transition<PortalSettings> {
  const { products, quantity, settingsVersion } = settings;
  if (expectedVersion !== undefined && expectedVersion !== settingsVersion) throw staleVersion();
  const wanted = { products, quantity, ...changes };
  const next = { ...wanted, products: [...new Set(wanted.products)] };
  refuseProblems({
    products:
      next.products.length > productsMax
        ? [`Must have at most ${String(productsMax)} elements`]
        : [],
  });
  if (isSameData(next, { products, quantity })) return unchanged(settings);
  return only({
    ...settings,
    ...next,
    settingsVersion: settingsVersion + 1,
    settingsUpdatedAt: now,
  });
}
