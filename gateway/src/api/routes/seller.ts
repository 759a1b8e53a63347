import { z } from 'zod';
import { sellerProblems } from '@billing/kernel/input/seller';
import { SellerJson, toJsonSeller } from '@billing/proto/json/seller';
import { taxPrices } from '@billing/proto/values/checkout';
import { etag, ok, present } from '../../http/answer';
import { address, taxIds, toProtoTaxIds } from '../input/party';
import { optional } from '../input/input';
import { changeable, frozen, readPatch } from '../input/patch';
import type { Route } from './route';

const text = (lengthMax: number) => changeable(z.string().max(lengthMax));

const UpdateSeller = z
  .object({
    legalName: text(200),
    contactName: text(200),
    email: changeable(z.string()),
    phone: text(40),
    address: changeable(address),
    taxIds: changeable(taxIds),
    registrationNumber: text(50),
    registrationText: text(500),
    footer: text(500),
    bankAccount: changeable(
      z.object({ holder: z.string().max(200), iban: z.string(), bic: optional(z.string()) }),
    ),
    logo: changeable(
      z.string().meta({
        description:
          'Data URL of a PNG or JPEG image of at most 128 KiB and 1600 × 1600 pixels: `data:image/png;base64,…`.',
      }),
    ),
    invoicePrefix: changeable(
      z.string().meta({ description: 'Up to 11 of A-Z, 0-9 and -, then a hyphen; not `CN-`.' }),
    ),
    netDays: changeable(z.int().min(0).max(365)),
    tax: changeable(
      z.object({
        prices: z.enum(['EXCLUDE_TAX', 'INCLUDE_TAX']),
        registrations: z.array(z.string()).min(1).max(50).meta({
          description:
            'Countries where you are registered, your own among them, and `EU` for the one-stop shop.',
        }),
      }),
    ),
    version: frozen,
    updatedAt: frozen,
  })
  .meta({
    id: 'UpdateSeller',
    examples: [
      {
        legalName: 'Ada Ltd',
        address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
        taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
        tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
      },
    ],
  });

export const sellerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/seller',
    operation: {
      id: 'getSeller',
      summary: 'Get the seller',
      answer: { status: 200, schema: SellerJson, isVersioned: true },
    },
    handle: async (request, peers) => {
      const seller = present((await peers.seller.getSeller({}, request.context)).seller);
      return ok(toJsonSeller(seller), etag(seller.version));
    },
  },
  {
    method: 'PATCH',
    path: '/seller',
    operation: {
      id: 'updateSeller',
      summary: 'Update the seller',
      description:
        'Objects and arrays are replaced as a whole. Changes apply to invoices that are finalised afterwards.',
      body: UpdateSeller,
      answer: { status: 200, schema: SellerJson, isVersioned: true },
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateSeller, request, sellerProblems);
      const answer = await peers.seller.updateSeller(
        {
          ...input,
          address: input.address,
          bankAccount: input.bankAccount,
          taxIds: toProtoTaxIds(input.taxIds),
          tax: input.tax && { ...input.tax, prices: taxPrices.valueOf(input.tax.prices) },
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const seller = present(answer.seller);
      return ok(toJsonSeller(seller), etag(seller.version));
    },
  },
];
