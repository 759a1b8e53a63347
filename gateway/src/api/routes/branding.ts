import { z } from 'zod';
import { brandingProblems } from '@billing/kernel/input/branding';
import { languages, localeProblems } from '@billing/presentation/locale';
import { BrandingJson, toJsonBranding } from '@billing/proto/json/branding';
import { ok, present } from '../../http/answer';
import { changeable, frozen, readPatch, required } from '../input/patch';
import type { Route } from './route';

const UpdateBranding = z
  .object({
    displayName: changeable(
      z.string().meta({ description: 'Name on pages and mails, up to 100 characters.' }),
    ),
    accentColor: required(
      z.string().meta({
        description: '`#RRGGBB`. Any color is accepted: `colors` has readable ones for texts.',
      }),
    ),
    supportEmail: changeable(z.string()),
    supportUrl: changeable(z.string()),
    termsUrl: changeable(z.string()),
    privacyUrl: changeable(z.string()),
    defaultLocale: required(
      z.string().meta({
        description: `BCP 47 tag with one of the languages ${languages.join(', ')}; Chinese in simplified characters.`,
      }),
    ),
    colors: frozen,
    portalSignInUrl: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({
    id: 'UpdateBranding',
    examples: [
      { displayName: 'Acme', accentColor: '#FFD400', termsUrl: 'https://acme.example/terms' },
    ],
  });

export const brandingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/branding',
    operation: {
      id: 'getBranding',
      summary: 'Get the branding',
      answer: { status: 200, schema: BrandingJson },
    },
    handle: async (request, peers) => {
      const { branding } = await peers.branding.getBranding({}, request.context);
      return ok(toJsonBranding(present(branding)));
    },
  },
  {
    method: 'PATCH',
    path: '/branding',
    operation: {
      id: 'updateBranding',
      summary: 'Update the branding',
      description: 'Changes apply to the next page and mail, within 10 seconds.',
      body: UpdateBranding,
      answer: { status: 200, schema: BrandingJson },
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateBranding, request, (fields) => ({
        ...brandingProblems(fields),
        defaultLocale: localeProblems(fields.defaultLocale),
      }));
      const answer = await peers.branding.updateBranding({ ...input, updateMask }, request.context);
      return ok(toJsonBranding(present(answer.branding)));
    },
  },
];
