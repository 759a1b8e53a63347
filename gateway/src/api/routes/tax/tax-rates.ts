import { z } from 'zod';
import { taxRateProblems } from '@billing/kernel/input/tax-rate';
import { TaxRateJson, toJsonTaxRate } from '@billing/proto/json/seller';
import { taxRateSources } from '@billing/proto/values/checkout';
import { created, etag, ok, present } from '../../../http/answer';
import { decimal } from '../../input/decimal-input';
import { optional, listShape, readBody, readQuery } from '../../input/input';
import { page, listQuery } from '../../input/list';
import { changeable, frozen, readPatch, required } from '../../input/patch';
import { param } from '../../input/request';
import { listOf } from '../../schemas/list';
import type { Route } from '../route';

const day = z.string().meta({ description: 'Day (UTC).', examples: ['2026-01-01'] });
const name = z.string().min(1).max(40);

const CreateTaxRate = z
  .object({
    country: z.string().meta({ description: 'ISO 3166-1 alpha-2.' }),
    state: optional(z.string().max(50)),
    category: optional(z.string()).meta({
      description: 'Tax category of products. Defaults to `standard`.',
    }),
    percent: decimal.meta({ description: '0 to 100, with at most 4 decimals.' }),
    name,
    validFrom: optional(day),
    validTo: optional(day).meta({ description: 'Day (UTC) after the last one.' }),
  })
  .meta({
    id: 'CreateTaxRate',
    examples: [{ country: 'DE', category: 'ebook', percent: '7', name: 'VAT' }],
  });

const UpdateTaxRate = z
  .object({
    name: required(name),
    validTo: changeable(day),
    id: frozen,
    source: frozen,
    country: frozen,
    state: frozen,
    category: frozen,
    percent: frozen,
    validFrom: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({ id: 'UpdateTaxRate', examples: [{ validTo: '2027-01-01' }] });

const ListTaxRates = z.object({
  ...listShape,
  country: z.string().optional(),
  source: TaxRateJson.shape.source.optional(),
});

export const taxRateRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/tax-rates',
    operation: {
      id: 'createTaxRate',
      summary: 'Create a tax rate',
      description: 'Your rates come before those of the system, in the days of their window.',
      body: CreateTaxRate,
      answer: { status: 201, schema: TaxRateJson, isVersioned: true },
      errors: ['conflict'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateTaxRate, request, taxRateProblems);
      const { taxRate } = await peers.seller.createTaxRate(input, request.context);
      const rate = present(taxRate);
      return created(`/tax-rates/${rate.id}`, toJsonTaxRate(rate), etag(rate.version));
    },
  },
  {
    method: 'GET',
    path: '/tax-rates',
    operation: {
      id: 'listTaxRates',
      summary: 'List tax rates: your own, newest first, then those of the system',
      query: ListTaxRates,
      answer: { status: 200, schema: listOf(TaxRateJson, 'TaxRateList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListTaxRates, request);
      const { taxRates, total } = await peers.seller.listTaxRates(
        { ...listQuery(query), source: query.source && taxRateSources.valueOf(query.source) },
        request.context,
      );
      return page(taxRates, { ...query, total }, toJsonTaxRate);
    },
  },
  {
    method: 'GET',
    path: '/tax-rates/:id',
    operation: {
      id: 'getTaxRate',
      summary: 'Get a tax rate',
      answer: { status: 200, schema: TaxRateJson, isVersioned: true },
      errors: ['tax_rate_not_found'],
    },
    handle: async (request, peers) => {
      const { taxRate } = await peers.seller.getTaxRate(
        { id: param(request, 'id') },
        request.context,
      );
      const rate = present(taxRate);
      return ok(toJsonTaxRate(rate), etag(rate.version));
    },
  },
  {
    method: 'PATCH',
    path: '/tax-rates/:id',
    operation: {
      id: 'updateTaxRate',
      summary: 'Update name and end of a tax rate',
      body: UpdateTaxRate,
      answer: { status: 200, schema: TaxRateJson, isVersioned: true },
      errors: ['tax_rate_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateTaxRate, request, taxRateProblems);
      const { taxRate } = await peers.seller.updateTaxRate(
        {
          ...input,
          id: param(request, 'id'),
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const rate = present(taxRate);
      return ok(toJsonTaxRate(rate), etag(rate.version));
    },
  },
];
