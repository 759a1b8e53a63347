import type { FormValues } from '../../parts/form/form-values';

const texts = ['displayName', 'supportEmail', 'supportUrl', 'termsUrl', 'privacyUrl'] as const;

/** Body of `PATCH /v1/branding` from its form. */
export function typedBranding(values: Pick<FormValues, 'text' | 'optional'>): object {
  return {
    ...Object.fromEntries(texts.map((name) => [name, values.optional(name) ?? null])),
    accentColor: values.text('accentColor'),
    defaultLocale: values.text('defaultLocale'),
  };
}

/** An accent that is typed as `#RRGGBB`, in any case; undefined while it is not complete. */
export function accentOf(typed: string): string | undefined {
  return /^#[0-9a-f]{6}$/i.test(typed.trim()) ? typed.trim().toUpperCase() : undefined;
}
