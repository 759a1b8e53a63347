import { maskedFields } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { brandColors } from '@billing/kernel/brand-colors';
import {
  type Branding as ProtoBranding,
  type BrandingServiceServer,
  BrandingServiceService,
  type UpdateBrandingRequest,
} from '@billing/proto/billing/checkout/v1/branding';
import { brandingCallers } from '../peer/callers';
import type { BillingSettingsStore } from './billing-settings-store';
import { type BrandingChanges, changeBranding } from './branding';
import type { BrandingStore, DatedBranding } from './branding-store';

export interface BrandingRpcDependencies {
  readonly brandings: BrandingStore;
  readonly settings: BillingSettingsStore;
  /** Public address of the pages. */
  readonly pageUrl: string;
}

/** RPCs of the branding. */
export function brandingRpc({ brandings, settings, pageUrl }: BrandingRpcDependencies) {
  return rpcService<BrandingServiceServer>(
    BrandingServiceService,
    {
      getBranding: async (_request, context) => {
        const [branding, { seller }] = await Promise.all([
          brandings.read(context),
          settings.read(context),
        ]);
        const { legalName, email, logo } = seller;
        return {
          branding: toProtoBranding(branding, pageUrl),
          seller: {
            legalName: legalName ?? undefined,
            email: email ?? undefined,
            logo: logo ?? undefined,
          },
        };
      },
      updateBranding: async (request, context) => {
        const changes = fromProtoBrandingChanges(request);
        const changed = await brandings.change(
          (branding) => changeBranding(branding, changes),
          context,
        );
        return { branding: toProtoBranding(changed, pageUrl) };
      },
    },
    { callers: brandingCallers },
  );
}

function fromProtoBrandingChanges({
  updateMask,
  ...request
}: UpdateBrandingRequest): BrandingChanges {
  const fields = {
    displayName: request.displayName ?? null,
    accentColor: request.accentColor ?? null,
    supportEmail: request.supportEmail ?? null,
    supportUrl: request.supportUrl ?? null,
    termsUrl: request.termsUrl ?? null,
    privacyUrl: request.privacyUrl ?? null,
    defaultLocale: request.defaultLocale ?? null,
  };
  return maskedFields(fields, updateMask);
}

function toProtoBranding(
  { state, createdAt, updatedAt }: DatedBranding,
  pageUrl: string,
): ProtoBranding {
  const { displayName, accentColor, supportEmail, supportUrl, termsUrl, privacyUrl } = state;
  return {
    displayName: displayName ?? undefined,
    accentColor,
    colors: brandColors(accentColor),
    supportEmail: supportEmail ?? undefined,
    supportUrl: supportUrl ?? undefined,
    termsUrl: termsUrl ?? undefined,
    privacyUrl: privacyUrl ?? undefined,
    defaultLocale: state.defaultLocale,
    portalSignInUrl: `${pageUrl}/portal/sign-in/${state.id}`,
    createdAt,
    updatedAt,
  };
}
