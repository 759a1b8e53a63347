import { type BrandColors, brandColors, defaultAccentColor } from '@billing/kernel/brand-colors';
import { defaultLocale } from '@billing/presentation/locale';
import type { GetBrandingResponse } from '@billing/proto/billing/checkout/v1/branding';
import { present } from '../../http/answer';

/** Current branding and seller of an environment, as its pages show them. */
export interface Look {
  /** Undefined: no name is known. */
  readonly name: string | undefined;
  readonly colors: BrandColors;
  /** Hash of the seller's logo, if any. */
  readonly logo: string | undefined;
  readonly supportEmail: string | undefined;
  readonly supportUrl: string | undefined;
  readonly termsUrl: string | undefined;
  readonly privacyUrl: string | undefined;
  /** Locale of readers about whom nothing else is known. */
  readonly defaultLocale: string;
}

/** Look of pages of an unknown environment, and of one that has set nothing. */
export const defaultLook: Look = {
  name: undefined,
  colors: brandColors(defaultAccentColor),
  logo: undefined,
  supportEmail: undefined,
  supportUrl: undefined,
  termsUrl: undefined,
  privacyUrl: undefined,
  defaultLocale,
};

/** Look of an environment: what the branding lacks comes from the seller. */
export function lookOf({ branding, seller }: GetBrandingResponse): Look {
  const given = present(branding);
  return {
    name: given.displayName ?? seller?.legalName,
    colors: present(given.colors),
    logo: seller?.logo?.sha256,
    supportEmail: given.supportEmail ?? seller?.email,
    supportUrl: given.supportUrl,
    termsUrl: given.termsUrl,
    privacyUrl: given.privacyUrl,
    defaultLocale: given.defaultLocale,
  };
}
