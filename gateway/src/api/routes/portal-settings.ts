import { z } from 'zod';
import { invalidInput } from '@billing/kernel/domain-error';
import { BillingInterval, type Product } from '@billing/proto/billing/catalog/v1/catalog';
import type { PortalSettings as ProtoPortalSettings } from '@billing/proto/billing/customer/v1/portal';
import { PortalSettings, toJsonPortalSettings } from '@billing/proto/json/portal-settings';
import { type ApiAnswer, etag, ok, present } from '../../http/answer';
import type { Peers } from '../../peer/peers';
import { changeable, frozen, readPatch } from '../input/patch';
import type { ApiRequest } from '../input/request';
import type { Route } from './route';

const productsMax = 20;

const UpdatePortalSettings = z
  .object({
    products: changeable(z.array(z.string()).max(productsMax)).meta({
      description:
        'Recurring products that customers may change their main item to. A subscription is offered those that are active and have its currency.',
    }),
    quantity: changeable(z.boolean()),
    updatedAt: frozen,
  })
  .meta({
    id: 'UpdatePortalSettings',
    examples: [{ products: ['01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90'], quantity: true }],
  });

export const portalSettingsRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/portal/settings',
    operation: {
      id: 'getPortalSettings',
      summary: 'Get the portal settings',
      answer: { status: 200, schema: PortalSettings, isVersioned: true },
    },
    handle: async ({ context }, { portal }) =>
      answered((await portal.getPortalSettings({}, context)).settings),
  },
  {
    method: 'PATCH',
    path: '/portal/settings',
    operation: {
      id: 'updatePortalSettings',
      summary: 'Update the portal settings',
      description: '`products` is replaced as a whole.',
      body: UpdatePortalSettings,
      answer: { status: 200, schema: PortalSettings, isVersioned: true },
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdatePortalSettings, request);
      const { products = [], quantity } = input;
      await checkProducts(products, request, peers);
      const { settings } = await peers.portal.updatePortalSettings(
        { products, quantity, updateMask, expectedVersion: request.expectedVersion },
        request.context,
      );
      return answered(settings);
    },
  },
];

/** Refuses products that no subscription can have: the customer service reads no products. */
async function checkProducts(
  ids: readonly string[],
  { context }: Pick<ApiRequest, 'context'>,
  { catalog }: Pick<Peers, 'catalog'>,
): Promise<void> {
  if (ids.length === 0) return;
  const wanted = { page: 1, perPage: productsMax, ids: { ids: [...ids] } };
  const { products } = await catalog.listProducts(
    { ...wanted, active: undefined, lookupKey: undefined, oldestFirst: undefined },
    context,
  );
  const problems = ids.flatMap((id, index) => {
    const problem = problemOf(products.find((product) => product.id === id));
    return problem === undefined ? [] : [`${String(index)}: ${problem}`];
  });
  if (problems.length > 0) throw invalidInput({ products: problems });
}

function problemOf(product: Product | undefined): string | undefined {
  if (product === undefined) return 'Product not found';
  const isOnce = product.price?.billingInterval === BillingInterval.BILLING_INTERVAL_ONE_TIME;
  return isOnce ? 'Price is not recurring' : undefined;
}

function answered(settings: ProtoPortalSettings | undefined): ApiAnswer {
  const current = present(settings);
  return ok(toJsonPortalSettings(current), etag(current.version));
}
