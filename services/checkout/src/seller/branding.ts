import { defaultAccentColor } from '@billing/kernel/brand-colors';
import { isSameData } from '@billing/kernel/equality';
import { brandingProblems } from '@billing/kernel/input/branding';
import { refuseProblems } from '@billing/kernel/input-problems';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { defaultLocale, localeProblems, supportedLocale } from '@billing/presentation/locale';

/** The look of an environment's pages and mails. There is one per environment. */
export interface Branding {
  /** Id of the environment. */
  readonly id: string;
  readonly displayName: string | null;
  /** `#RRGGBB`, upper case. */
  readonly accentColor: string;
  readonly supportEmail: string | null;
  readonly supportUrl: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** Locale of customers and documents that have none. */
  readonly defaultLocale: string;
}

/** Branding of an environment that has set nothing. */
export function defaultBranding(environmentId: string): Branding {
  return {
    id: environmentId,
    displayName: null,
    accentColor: defaultAccentColor,
    supportEmail: null,
    supportUrl: null,
    termsUrl: null,
    privacyUrl: null,
    defaultLocale,
  };
}

/** Changes of a branding: an absent field stays, null clears it where it may be absent. */
export type BrandingChanges = {
  readonly [Field in keyof Omit<Branding, 'id'>]?: Branding[Field] | null | undefined;
};

/** Changes the branding. Reports all problems at once. */
export function changeBranding(branding: Branding, changes: BrandingChanges): Transition<Branding> {
  const sent = Object.entries(changes) as [keyof BrandingChanges, string | null | undefined][];
  const fields = Object.fromEntries(sent.filter(([, value]) => typeof value === 'string'));
  refuseProblems({
    ...brandingProblems(fields),
    defaultLocale: localeProblems(changes.defaultLocale),
    ...missingProblems(changes),
  });
  const changed = {
    ...branding,
    ...Object.fromEntries(
      sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, stored(name, value)]])),
    ),
  };
  return isSameData(changed, branding) ? unchanged(branding) : only(changed);
}

function missingProblems(changes: BrandingChanges) {
  const missing = (['accentColor', 'defaultLocale'] as const).filter(
    (name) => changes[name] === null,
  );
  return Object.fromEntries(missing.map((name) => [name, ['Required']]));
}

function stored(name: keyof BrandingChanges, value: string | null): string | null {
  if (value === null) return null;
  switch (name) {
    case 'accentColor':
      return value.toUpperCase();
    case 'defaultLocale':
      return supportedLocale(value) ?? value;
    case 'displayName':
    case 'supportEmail':
      return value.trim();
    case 'supportUrl':
    case 'termsUrl':
    case 'privacyUrl':
      return value;
  }
}
