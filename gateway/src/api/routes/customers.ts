import { z } from 'zod';
import { unlessNotFound } from '@billing/kernel/domain-error';
import {
  type CustomerFields,
  customerProblems,
  forCustomerTexts,
} from '@billing/kernel/input/customer';
import { localeProblems } from '@billing/presentation/locale';
import { CustomerJson, taxExempt, toJsonCustomer } from '@billing/proto/json/customer';
import { collectionMethods, taxExempts } from '@billing/proto/values/customer';
import { listOf } from '../schemas/list';
import type { Sound } from '../input/field-rules';
import { metadata, optional, lookupShape, readBody, readQuery } from '../input/input';
import { address, taxIds, toProtoTaxIds } from '../input/party';
import { lookupQuery, page } from '../input/list';
import { changeable, frozen, readPatch, required } from '../input/patch';
import type { Peers } from '../../peer/peers';
import { type ApiRequest, param } from '../input/request';
import { created, etag, ok, present } from '../../http/answer';
import type { Route } from './route';

const collectionMethod = z.enum(['CHARGE_AUTOMATICALLY', 'SEND_INVOICE']);

const netDays = z.int().min(0).max(365);

const locale = z.string().meta({
  description: 'BCP 47 tag of pages, documents and mails, such as `de-CH`.',
});

const email = z.string({
  error: ({ input }) => (input === undefined || input === null ? undefined : 'Invalid email'),
});

const CreateCustomer = z
  .object({
    email,
    externalId: optional(z.string().min(1).max(255)),
    ...forCustomerTexts((_name, lengthMax) => optional(z.string().max(lengthMax))),
    address: optional(address),
    currency: optional(z.string()),
    collectionMethod: optional(collectionMethod),
    taxIds: optional(taxIds),
    taxExempt: optional(taxExempt),
    netDays: optional(netDays),
    locale: optional(locale),
    metadata: optional(metadata),
  })
  .meta({
    id: 'CreateCustomer',
    examples: [{ email: 'ada@example.com', externalId: 'user-7', name: 'Ada Lovelace' }],
  });

const UpdateCustomer = z
  .object({
    email: required(email),
    ...forCustomerTexts((_name, lengthMax) => changeable(z.string().max(lengthMax))),
    address: changeable(address),
    currency: required(z.string()),
    collectionMethod: required(collectionMethod),
    taxIds: changeable(taxIds),
    taxExempt: required(taxExempt),
    netDays: changeable(netDays),
    locale: changeable(locale),
    metadata: changeable(metadata),
    externalId: frozen,
    id: frozen,
    organizationId: frozen,
    createdAt: frozen,
    updatedAt: frozen,
  })
  .meta({ id: 'UpdateCustomer', examples: [{ name: 'Ada King', phone: null }] });

const ListCustomers = z.object({
  ...lookupShape,
  email: z.string().optional(),
  externalId: z.string().optional(),
});

function problemsOf(fields: Sound<CustomerFields> & { readonly locale?: string | undefined }) {
  return { ...customerProblems(fields), locale: localeProblems(fields.locale) };
}

export const customerRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/customers',
    operation: {
      id: 'createCustomer',
      summary: 'Create a customer',
      body: CreateCustomer,
      answer: { status: 201, schema: CustomerJson, isVersioned: true },
      errors: ['external_id_taken'],
    },
    handle: async (request, peers) => {
      const input = readBody(CreateCustomer, request, problemsOf);
      const answer = await peers.customer.createCustomer(
        {
          ...input,
          collectionMethod: collectionMethods.valueOf(input.collectionMethod),
          taxIds: toProtoTaxIds(input.taxIds),
          taxExempt: taxExempts.valueOf(input.taxExempt),
        },
        request.context,
      );
      const customer = present(answer.customer);
      return created(`/customers/${customer.id}`, toJsonCustomer(customer), etag(customer.version));
    },
  },
  {
    method: 'GET',
    path: '/customers',
    operation: {
      id: 'listCustomers',
      summary: 'List customers, newest first',
      query: ListCustomers,
      answer: { status: 200, schema: listOf(CustomerJson, 'CustomerList') },
    },
    handle: async (request, peers) => {
      const query = readQuery(ListCustomers, request);
      const { customers, total } = await peers.customer.listCustomers(
        lookupQuery(query),
        request.context,
      );
      return page(customers, { ...query, total }, toJsonCustomer);
    },
  },
  {
    method: 'GET',
    path: '/customers/:id',
    operation: {
      id: 'getCustomer',
      summary: 'Get a customer',
      answer: { status: 200, schema: CustomerJson, isVersioned: true },
      errors: ['customer_not_found'],
    },
    handle: async (request, peers) => {
      const { customer } = await peers.customer.getCustomer(
        { id: param(request, 'id') },
        request.context,
      );
      const current = present(customer);
      return ok(toJsonCustomer(current), etag(current.version));
    },
  },
  {
    method: 'PATCH',
    path: '/customers/:id',
    operation: {
      id: 'updateCustomer',
      summary: 'Update a customer',
      body: UpdateCustomer,
      answer: { status: 200, schema: CustomerJson, isVersioned: true },
      errors: ['customer_not_found'],
    },
    handle: async (request, peers) => {
      const { input, updateMask } = readPatch(UpdateCustomer, request, problemsOf);
      if (input.currency !== undefined) await fixBilledCurrency(request, peers);
      const { customer } = await peers.customer.updateCustomer(
        {
          ...input,
          id: param(request, 'id'),
          address: input.address,
          metadata: input.metadata,
          collectionMethod: collectionMethods.valueOf(input.collectionMethod),
          taxIds: toProtoTaxIds(input.taxIds),
          taxExempt: taxExempts.valueOf(input.taxExempt),
          updateMask,
          expectedVersion: request.expectedVersion,
        },
        request.context,
      );
      const changed = present(customer);
      return ok(toJsonCustomer(changed), etag(changed.version));
    },
  },
  {
    method: 'DELETE',
    path: '/customers/:id',
    operation: {
      id: 'deleteCustomer',
      summary: 'Delete a customer',
      description:
        'Erases the personal data of the customer. Invoices and credit notes stay, with their buyer. Refused while the customer has an active subscription, an open checkout session, an open invoice or draft, a pending refund or dispute, or a balance. Late usage of ended subscriptions is billed first, so a first call may be refused because of its open invoice. A new customer may get the external id at once.',
      answer: { status: 204 },
      errors: ['customer_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      await peers.customer.deleteCustomer({ id: param(request, 'id') }, request.context);
      return { status: 204 };
    },
  },
];

// A customer billed before this rule existed has no record of the first invoice.
async function fixBilledCurrency(request: ApiRequest, peers: Peers): Promise<void> {
  const { context } = request;
  const id = param(request, 'id');
  const { currency } = await peers.checkout.getBilledCurrency({ customerId: id }, context);
  if (currency === undefined) return;
  await unlessNotFound(peers.customer.fixCurrency({ id, currency }, context));
}
