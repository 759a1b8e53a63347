import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { expectedVersionOf, maskedFields, readPage } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import {
  type ListTaxRatesRequest,
  type SellerServiceServer,
  SellerServiceService,
  type UpdateSellerRequest,
} from '@billing/proto/billing/checkout/v1/seller';
import {
  addTaxRate,
  type BillingSettings,
  changeSeller,
  changeTaxRate,
  checkSellerFields,
  shippedRateIsFixed,
  taxRateOf,
} from './billing-settings';
import type { BillingSettingsStore } from './billing-settings-store';
import { sellerCallers } from '../peer/callers';
import { looksLikeSeries } from './invoice-prefix';
import type { LogoStore } from './logo-store';
import {
  fromProtoSellerChanges,
  type SentSellerChanges,
  shippedRatesOf,
  toProtoOwnRate,
  toProtoSeller,
} from './seller-message';

export interface SellerRpcDependencies {
  readonly settings: BillingSettingsStore;
  readonly logos: LogoStore;
  /** Codes of all restores, each the name of a series of numbers. */
  readonly restoreCodes: () => readonly string[];
}

/** RPCs of the seller and its tax rates. */
export function sellerRpc(dependencies: SellerRpcDependencies) {
  const { settings, logos } = dependencies;
  return rpcService<SellerServiceServer>(
    SellerServiceService,
    {
      getSeller: async (_request, context) => ({
        seller: toProtoSeller(await settings.read(context)),
      }),
      updateSeller: async (request, context) => ({
        seller: toProtoSeller(await updateSeller(request, context, dependencies)),
      }),
      getLogo: async ({ sha256 }) => {
        const logo = await logos.find(sha256);
        if (logo === undefined) throw notFound('Logo');
        return logo;
      },
      createTaxRate: async (request, context) => {
        const id = newResourceId(context, 'taxRate');
        const changed = await settings.change(
          (state, now) => addTaxRate(state, request, { id, now }),
          context,
        );
        return { taxRate: toProtoOwnRate(taxRateOf(changed, id)) };
      },
      listTaxRates: async (request, context) => pageOf(request, await settings.read(context)),
      getTaxRate: async ({ id }, context) => {
        const shipped = shippedRate(id, context);
        if (shipped !== undefined) return { taxRate: shipped };
        return { taxRate: toProtoOwnRate(taxRateOf(await settings.read(context), id)) };
      },
      updateTaxRate: async ({ id, updateMask, name, validTo, ...request }, context) => {
        if (shippedRate(id, context) !== undefined) throw shippedRateIsFixed();
        const changes = maskedFields({ name, validTo: validTo ?? null }, updateMask);
        const { expectedVersion } = expectedVersionOf(request);
        const changed = await settings.change(
          (state, now) => changeTaxRate(state, changes, { id, expectedVersion, now }),
          context,
        );
        return { taxRate: toProtoOwnRate(taxRateOf(changed, id)) };
      },
    },
    { withoutTenant: ['getLogo'], callers: sellerCallers },
  );
}

function shippedRate(id: string, { tenant }: Pick<CallContext, 'tenant'>) {
  return shippedRatesOf(tenant.environmentId).find((rate) => rate.id === id);
}

async function updateSeller(
  request: UpdateSellerRequest,
  context: CallContext,
  { settings, logos, restoreCodes }: SellerRpcDependencies,
): Promise<BillingSettings> {
  const { logo, ...changes } = fromProtoSellerChanges(request);
  checkSellerFields(withoutNulls({ logo, ...changes }));
  if (looksLikeSeries(changes.invoicePrefix ?? '', restoreCodes())) {
    throw invalidInput({ invoicePrefix: ['Invalid prefix'] });
  }
  // Before the decision, so that a seller never names an image that is not stored.
  const kept = typeof logo === 'string' ? await logos.keep(logo, context) : logo;
  const { expectedVersion } = expectedVersionOf(request);
  return settings.change(
    (state, now) => changeSeller(state, { ...changes, logo: kept }, { expectedVersion, now }),
    context,
  );
}

function withoutNulls(changes: SentSellerChanges) {
  const entries = Object.entries(changes) as [string, unknown][];
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function pageOf(
  { country, source, ...request }: ListTaxRatesRequest,
  { id: environmentId, ownRates }: BillingSettings,
) {
  const { page, perPage, oldestFirst } = readPage(request);
  const newestFirst = [
    ...ownRates.toReversed().map(toProtoOwnRate),
    ...shippedRatesOf(environmentId),
  ].filter(
    (rate) =>
      (country === undefined || rate.country === country) &&
      (source === undefined || rate.source === source),
  );
  const all = oldestFirst ? newestFirst.toReversed() : newestFirst;
  const start = (page - 1) * perPage;
  return { taxRates: all.slice(start, start + perPage), total: all.length };
}
