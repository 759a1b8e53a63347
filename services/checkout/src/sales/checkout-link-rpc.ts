import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import {
  checkMetadata,
  readPage,
  expectedVersionOf,
  filterByIds,
  maskedFields,
} from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { isSameData } from '@billing/kernel/equality';
import {
  type CheckoutLink as ProtoCheckoutLink,
  type CheckoutLinkServiceServer,
  CheckoutLinkServiceService,
  type CreateCheckoutLinkRequest,
  type UpdateCheckoutLinkRequest,
} from '@billing/proto/billing/checkout/v1/checkout_link';
import { collectedFacts } from '@billing/proto/values/checkout';
import { checkoutLinkCallers } from '../peer/callers';
import {
  changeCheckoutLink,
  type CheckoutLink,
  type CheckoutLinkChanges,
  createCheckoutLink,
} from './checkout-link';
import { linksWith } from './checkout-link-store';
import type { HostedPageStore } from '../hosted-page/store';
import type { InvoicePages } from '../invoice/rpc';
import { checkDiscountOfLink } from '../peer/discount';
import { checkProducts } from '../peer/product';
import type { Peers } from '../peer/peers';

export interface CheckoutLinkRpcDependencies {
  readonly links: AggregateCollection<CheckoutLink>;
  readonly pages: HostedPageStore;
  readonly peers: Peers;
}

/** RPCs of checkout links. */
export function checkoutLinkRpc({ links, pages, peers }: CheckoutLinkRpcDependencies) {
  const toProto = (stored: Stored<CheckoutLink>) => toProtoCheckoutLink(stored, pages);
  return rpcService<CheckoutLinkServiceServer>(
    CheckoutLinkServiceService,
    {
      createCheckoutLink: async (request, context) => {
        const id = newResourceId(context, 'checkoutLink');
        const link = createCheckoutLink(fromProtoLink(id, request), {
          metadataProblems: checkMetadata(request.metadata),
        });
        await Promise.all([
          checkProducts(peers, link.state.productIds, context),
          checkDiscountOfLink(peers, link.state, context),
        ]);
        const { stored } = await links.within(context).insert(link);
        return { checkoutLink: toProto(stored) };
      },

      getCheckoutLink: async ({ id }, context) => ({
        checkoutLink: toProto(await links.within(context).get(id)),
      }),

      listCheckoutLinks: async (request, context) => {
        const { data, total } = await links.within(context).list({
          filter: { ...linksWith(request), ...filterByIds(request.ids) },
          ...readPage(request),
        });
        return { checkoutLinks: data.map(toProto), total };
      },

      updateCheckoutLink: async (request, context) => {
        const changes = fromProtoChanges(request);
        const metadataProblems = checkMetadata(changes.metadata);
        if (isOfferChanged(changes)) {
          const { state } = await links.within(context).get(request.id);
          const changed = changeCheckoutLink(state, changes, { metadataProblems });
          await checkOffer({ before: state, after: changed.state }, context, peers);
        }
        const stored = await links
          .within(context)
          .mutate(
            request.id,
            (link) => changeCheckoutLink(link, changes, { metadataProblems }),
            expectedVersionOf(request),
          );
        return { checkoutLink: toProto(stored) };
      },
    },
    { callers: checkoutLinkCallers },
  );
}

function isOfferChanged({ productIds, discountId }: CheckoutLinkChanges): boolean {
  return productIds !== undefined || discountId !== undefined;
}

/** Refuses unknown products and a discount that cannot be redeemed, of those that are new. */
async function checkOffer(
  { before, after }: { readonly before: CheckoutLink; readonly after: CheckoutLink },
  context: CallContext,
  peers: Peers,
): Promise<void> {
  const { productIds, discountId } = after;
  await Promise.all([
    isSameData(productIds, before.productIds) || checkProducts(peers, productIds, context),
    // A discount that stays may have ended since: the page says so.
    discountId === before.discountId || checkDiscountOfLink(peers, after, context),
  ]);
}

function fromProtoLink(id: string, request: CreateCheckoutLinkRequest): CheckoutLink {
  const { label, productIds, successUrl, returnUrl, active, discountId, metadata } = request;
  const { quantity, collect } = request;
  return {
    id,
    label,
    productIds,
    successUrl,
    returnUrl,
    active: active ?? true,
    discountId,
    metadata: metadata ?? {},
    quantity,
    collect: collect.map((fact) => collectedFacts.nameOf(fact)),
    allowDiscountCodes: request.allowDiscountCodes ?? false,
  };
}

function fromProtoChanges(request: UpdateCheckoutLinkRequest): CheckoutLinkChanges {
  const { label, active, successUrl, returnUrl, metadata, quantity, collect } = request;
  const fields = {
    label: label ?? null,
    active: active ?? null,
    successUrl: successUrl ?? null,
    returnUrl: returnUrl ?? null,
    metadata: metadata ?? null,
    productIds: request.productIds,
    discountId: request.discountId ?? null,
    quantity: quantity ?? null,
    collect: collect.map((fact) => collectedFacts.nameOf(fact)),
    allowDiscountCodes: request.allowDiscountCodes ?? null,
  };
  return maskedFields(fields, request.updateMask);
}

/** Checkout link as its callers see it. */
export function toProtoCheckoutLink(
  { state, tenant, version, createdAt, updatedAt }: Stored<CheckoutLink>,
  pages: InvoicePages,
): ProtoCheckoutLink {
  return {
    ...state,
    productIds: [...state.productIds],
    collect: state.collect.map((fact) => collectedFacts.valueOf(fact)),
    organizationId: tenant.organizationId,
    url: pages.urlOf({ kind: 'CHECKOUT_LINK', resourceId: state.id }),
    createdAt,
    updatedAt,
    version: BigInt(version),
  };
}
