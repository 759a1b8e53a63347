import { z } from 'zod';
import type { MeterPrice as ProtoMeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import {
  type MeterPriceParts,
  meterPriceProblems,
  meterTiersProblems,
} from '@billing/kernel/input/meter-price';
import { MeterPriceJson, toJsonMeterPrice } from '@billing/proto/json/product';
import { meterPricingTypes } from '@billing/proto/values/catalog';
import { decimal, rate } from '../input/decimal-input';
import { type Sound, soundPart } from '../input/field-rules';
import { amount, metadata, optional, readBody } from '../input/input';
import { etag, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';
import { tiers, toProtoTiers } from './products';

const type = z.enum(['PER_UNIT', 'TIERED', 'VOLUME', 'PACKAGE']);

const price = z.object({
  meterId: z.string(),
  type: optional(type).meta({ description: 'Defaults to PER_UNIT.' }),
  unitAmount: optional(rate).meta({
    description: 'Required for PER_UNIT and PACKAGE, not allowed for other types.',
  }),
  tiers: optional(tiers).meta({
    description: 'Required for TIERED and VOLUME, not allowed for other types.',
  }),
  includedUnits: optional(decimal).meta({ description: 'Free units per period. Defaults to 0.' }),
  packageSize: optional(decimal).meta({
    description: 'Above 0. Required for PACKAGE, not allowed for other types.',
  }),
  minimumAmount: optional(amount).meta({
    description: 'Minimum charge per period, even without usage.',
  }),
  maximumAmount: optional(amount),
  metadata: optional(metadata),
});

const SetMeterPrices = z
  .object({
    prices: z
      .array(price)
      .max(100, 'Must have at most 100 prices')
      .meta({ description: 'The complete set of prices, one per meter.' }),
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
      description: 'New rates apply from the next period of each subscription.',
      body: SetMeterPrices,
      answer: {
        status: 200,
        schema: z.array(MeterPriceJson).meta({ id: 'MeterPriceList' }),
        isVersioned: true,
      },
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

/** Problems of single elements. The catalog service checks that the meters exist. */
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
    return [...problems, ...meterTiersProblems(input, `${String(index)}.tiers`)];
  });
}

function meterPriceInput(
  fields: Sound<z.infer<typeof price>>,
  wrong: ReadonlySet<PropertyKey | undefined>,
): MeterPriceParts {
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
