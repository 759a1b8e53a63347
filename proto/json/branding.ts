import { z } from 'zod';
import type { Branding } from '../gen/billing/checkout/v1/branding';
import { toJsonOptionalTime, time, url } from './scalars';

const color = z.string().meta({ description: '`#RRGGBB`.', examples: ['#2447C9'] });

export const BrandingJson = z
  .object({
    displayName: z
      .string()
      .nullable()
      .meta({ description: 'Null: pages and mails show the legal name of the seller.' }),
    accentColor: color,
    colors: z
      .object({
        accent: color,
        onAccent: color.meta({ description: 'Text on the accent.' }),
        linkOnLight: color.meta({ description: 'Links on a light page.' }),
        linkOnDark: color.meta({ description: 'Links on a dark page.' }),
      })
      .meta({ description: 'Derived from `accentColor`, with a contrast of at least 4.5.' }),
    supportEmail: z
      .string()
      .meta({ format: 'email', description: 'Null: the email address of the seller is shown.' })
      .nullable(),
    supportUrl: url.nullable(),
    termsUrl: url.nullable(),
    privacyUrl: url.nullable(),
    defaultLocale: z
      .string()
      .meta({ description: 'Locale of customers that have none, a BCP 47 tag.', examples: ['en'] }),
    portalSignInUrl: url.meta({
      description: 'Page on which customers ask for a link to the portal.',
    }),
    createdAt: time.nullable(),
    updatedAt: time.nullable(),
  })
  .meta({ id: 'Branding' });
export type BrandingJson = z.infer<typeof BrandingJson>;

/** Branding in REST responses. */
export function toJsonBranding(branding: Branding): BrandingJson {
  const { colors } = branding;
  if (colors === undefined) throw new Error('A branding lacks its colors');
  return {
    displayName: branding.displayName ?? null,
    accentColor: branding.accentColor,
    colors,
    supportEmail: branding.supportEmail ?? null,
    supportUrl: branding.supportUrl ?? null,
    termsUrl: branding.termsUrl ?? null,
    privacyUrl: branding.privacyUrl ?? null,
    defaultLocale: branding.defaultLocale,
    portalSignInUrl: branding.portalSignInUrl,
    createdAt: toJsonOptionalTime(branding.createdAt),
    updatedAt: toJsonOptionalTime(branding.updatedAt),
  };
}
