import { z } from 'zod';
import type { InputProblems } from '@billing/kernel/input-problems';
import { discountProblems } from '@billing/kernel/input/discount';
import { plainDecimal } from '@billing/kernel/plain-decimal';
import type { Discount as ProtoDiscount } from '@billing/proto/billing/discount/v1/discount';
import { DiscountJson, toJsonDiscount } from '@billing/proto/json/discount';
import { discountDurations, discountTypes } from '@billing/proto/values/discount';
import {
  activeFilter,
  lookupShape,
  metadata,
  optional,
  readBody,
  readQuery,
  time,
} from '../input/input';
import type { Sound } from '../input/field-rules';
import { lookupQuery, page } from '../input/list';
import { listOf } from '../schemas/list';
import { changeable, frozen, readPatch, required } from '../input/patch';
import { created, etag, ok, present } from '../../http/answer';
import { param } from '../input/request';
import type { Route } from './route';

const name = z.string().max(200);
const maxRedemptions = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

const CreateDiscount = z
  .object({
    name,
    code: optional(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]{3,64}$/, 'Must be 3 to 64 characters of A-Z, a-z, 0-9, _ and -'),
    ),
    type: z.enum(['PERCENTAGE', 'FIXED']),
    value: z.number().gt(0).max(99_999_999_999),
    currency: optional(z.string()),
    duration: z.enum(['ONCE', 'REPEATING', 'FOREVER']),
    durationInMonths: optional(z.int().min(1).max(60)),
    maxRedemptions: optional(maxRedemptions),
    startsAt: optional(time),
    endsAt: optional(time),
    productIds: optional(z.array(z.string()).max(50)),
    active: optional(z.boolean()),
    metadata: optional(metadata),
  })
  .meta({
    id: 'CreateDiscount',
    examples: [
      {
        name: 'Spring',
        code: 'SPRING-26',
        type: 'PERCENTAGE',
        value: 12.5,
        duration: 'REPEATING',
        durationInMonths: 3,
      },
    ],
  });

const UpdateDiscount = z
  .object({
    name: required(name),
    active: required(z.boolean()),
    endsAt: changeable(time),
    maxRedemptions: changeable(maxRedemptions),
    metadata: changeable(metadata),
    code: frozen,
    type: frozen,
    value: frozen,
    currency: frozen,
    duration: frozen,
    durationInMonths: frozen,
    redemptionCount: frozen,
    startsAt: frozen,
    productIds: frozen,
    id: frozen,
    organizationId: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({ id: 'UpdateDiscount', examples: [{ maxRedemptions: 100 }] });

const ListDiscounts = z.object({
  ...lookupShape,
  active: activeFilter,
  code: z.string().optional().meta({ description: 'Code to validate, case-insensitive.' }),
});

const ValidateDiscount = z
  .object({ code: z.string(), productId: optional(z.string()) })
  .meta({ id: 'ValidateDiscount', examples: [{ code: 'spring-26' }] });

export const discountRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/discounts',
    operation: {
      id: 'createDiscount',
      summary: 'Create a discount',
      body: CreateDiscount,
      answer: { status: 201, schema: DiscountJson, isVersioned: true },
      errors: ['code_taken'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateDiscount, request, problemsOf);
      const answer = await peers.discount.createDiscount(
        {
          ...input,
          type: discountTypes.valueOf(input.type),
          value: decimalOf(input.value),
          duration: discountDurations.valueOf(input.duration),
          productIds: input.productIds ?? [],
        },
        request.context,
      );
      const discount = present(answer.discount);
      return created(`/discounts/${discount.id}`, toJsonDiscount(discount), discountEtag(discount));
    },
  },
  {
    method: 'GET',
    path: '/discounts',
    operation: {
      id: 'listDiscounts',
      summary: 'List discounts, newest first',
      query: ListDiscounts,
      answer: { status: 200, schema: listOf(DiscountJson, 'DiscountList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListDiscounts, request);
      const { discounts, total } = await peers.discount.listDiscounts(
        lookupQuery(query),
        request.context,
      );
      return page(discounts, { ...query, total }, toJsonDiscount);
    },
  },
  {
    // Registered before the paths with `:id`, which would match its last segment.
    method: 'POST',
    path: '/discounts/validate',
    readsOnly: true,
    operation: {
      id: 'validateDiscount',
      summary: 'Validate a discount code',
      description:
        'Returns the discount if it can be redeemed now. Does not reserve a redemption: another checkout may use the last one.',
      body: ValidateDiscount,
      answer: { status: 200, schema: DiscountJson },
      errors: [
        'discount_not_found',
        'discount_inactive',
        'discount_not_started',
        'discount_expired',
        'discount_exhausted',
        'discount_wrong_product',
        'discount_wrong_currency',
      ],
    },
    handle: async (request, peers) => {
      const input = readBody(ValidateDiscount, request);
      const { discount } = await peers.discount.validateCode(
        { ...input, holderId: undefined },
        request.context,
      );
      return ok(toJsonDiscount(present(discount)));
    },
  },
  {
    method: 'GET',
    path: '/discounts/:id',
    operation: {
      id: 'getDiscount',
      summary: 'Get a discount',
      answer: { status: 200, schema: DiscountJson, isVersioned: true },
      errors: ['discount_not_found'],
    },
    handle: async (request, peers) => {
      const { discount } = await peers.discount.getDiscount(
        { id: param(request, 'id') },
        request.context,
      );
      const current = present(discount);
      return ok(toJsonDiscount(current), discountEtag(current));
    },
  },
  {
    method: 'PATCH',
    path: '/discounts/:id',
    operation: {
      id: 'updateDiscount',
      summary: 'Update a discount',
      description: 'Earlier redemptions keep the terms at the time of redemption.',
      body: UpdateDiscount,
      answer: { status: 200, schema: DiscountJson, isVersioned: true },
      errors: ['discount_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateDiscount, request, problemsOf);
      const { discount } = await peers.discount.updateDiscount(
        {
          ...input,
          id: param(request, 'id'),
          endsAt: input.endsAt,
          metadata: input.metadata,
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const changed = present(discount);
      return ok(toJsonDiscount(changed), discountEtag(changed));
    },
  },
];

function problemsOf({ value, ...fields }: Sound<z.infer<typeof CreateDiscount>>): InputProblems {
  return discountProblems({
    name: '',
    type: undefined,
    duration: undefined,
    ...fields,
    value: value === undefined ? '' : decimalOf(value),
    // The schema checks their number.
    productIds: [],
  });
}

function decimalOf(value: number): string {
  return plainDecimal(String(value));
}

/**
 * Includes the redemption count. Redemptions do not change the version, so they cannot make an
 * update stale.
 */
function discountEtag({ version, redemptionCount }: ProtoDiscount): { ETag: string } {
  return etag(version, redemptionCount);
}
