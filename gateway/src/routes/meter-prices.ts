import { z } from 'zod';
import type { MeterPrice as ProtoMeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import {
  type MeterPriceInput,
  meterPriceProblems,
  meterTiersProblems,
} from '@billing/kernel/input/meter-price';
import { toJsonMeterPrice } from '@billing/proto/json/product';
import { meterPricingTypes } from '@billing/proto/values/catalog';
import { decimal, rate } from '../decimal-input';
import { type Sound, soundPart } from '../field-rules';
import { amount, metadata, optional, readBody } from '../input';
import { MeterPriceList } from '../openapi/schemas/product';
import { etag, ok, param, present, type Route } from '../route';
import { tiers, toProtoTiers } from './products';

const type = z.enum(['PER_UNIT', 'TIERED', 'VOLUME', 'PACKAGE']);

const price = z.object({
  meterId: z.string(),
  type: optional(type).meta({ description: 'Default PER_UNIT.' }),
  unitAmount: optional(rate).meta({
    description: 'Of PER_UNIT and PACKAGE alone, required there.',
  }),
  tiers: optional(tiers).meta({ description: 'Of TIERED and VOLUME alone, required there.' }),
  includedUnits: optional(decimal).meta({ description: 'Free in each period. Default 0.' }),
  packageSize: optional(decimal).meta({
    description: 'Above 0; of PACKAGE alone, required there.',
  }),
  minimumAmount: optional(amount).meta({ description: 'Due in a period without usage too.' }),
  maximumAmount: optional(amount),
  metadata: optional(metadata),
});

const SetMeterPrices = z
  .object({
    prices: z
      .array(price)
      .max(100, 'Must have at most 100 prices')
      .meta({ description: 'The whole set, one element for each meter.' }),
  })
  .meta({
    id: 'SetMeterPrices',
    examples: [
      { prices: [{ meterId: '01900000-0000-7000-8000-000000000000', unitAmount: '0.25' }] },
    ],
  });

export const meterPriceRoutes: readonly Route[] = [
  {
    method: 'PATCH',
    path: '/products/:id/meter-prices',
    operation: {
      id: 'setMeterPrices',
      summary: "Replace a product's meter prices",
      description: 'New rates count from the next period of each subscription.',
      body: SetMeterPrices,
      answer: { status: 200, schema: MeterPriceList, isVersioned: true },
      errors: ['product_not_found'],
    },
    handle: async (request, peers) => {
      const input = readBody(SetMeterPrices, request, (_fields, { sent }) => ({
        prices: pricesProblems(sent.prices),
      }));
      const { product } = await peers.catalog.setMeterPrices(
        {
          productId: param(request, 'id'),
          prices: input.prices.map(toProtoPrice),
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const { meterPrices, version } = present(product);
      return ok(meterPrices.map(toJsonMeterPrice), etag(version));
    },
  },
];

/** What is wrong with each element alone; which meters there are is known elsewhere. */
function pricesProblems(sent: unknown): string[] {
  if (!Array.isArray(sent)) return [];
  return sent.flatMap((element: unknown, index) => {
    if (typeof element !== 'object' || element === null) return [];
    const result = price.safeParse(element);
    const wrong = new Set(result.error?.issues.map(({ path }) => path[0]));
    const input = meterPriceInput(soundPart(price, { ...element }), wrong);
    const problems = Object.entries(meterPriceProblems(input)).flatMap(([field, messages]) =>
      wrong.has(field) ? [] : messages.map((message) => `${String(index)}.${field}: ${message}`),
    );
    if (wrong.has('tiers')) return problems;
    return [...problems, ...meterTiersProblems(input, `${String(index)}.tiers`)];
  });
}

function meterPriceInput(
  fields: Sound<z.infer<typeof price>>,
  wrong: ReadonlySet<PropertyKey | undefined>,
): MeterPriceInput {
  const { type, minimumAmount, maximumAmount, ...rest } = fields;
  return {
    meterId: '',
    ...rest,
    type: wrong.has('type') ? 'UNKNOWN' : type,
    minimumAmount: minimumAmount === undefined ? undefined : BigInt(minimumAmount),
    maximumAmount: maximumAmount === undefined ? undefined : BigInt(maximumAmount),
  };
}

function toProtoPrice(sent: z.infer<typeof price>): ProtoMeterPrice {
  const { minimumAmount, maximumAmount } = sent;
  return {
    ...sent,
    id: '',
    productId: '',
    type: meterPricingTypes.valueOf(sent.type),
    tiers: toProtoTiers(sent.tiers),
    minimumAmount: minimumAmount === undefined ? undefined : BigInt(minimumAmount),
    maximumAmount: maximumAmount === undefined ? undefined : BigInt(maximumAmount),
    metadata: sent.metadata,
    createdAt: undefined,
  };
}
