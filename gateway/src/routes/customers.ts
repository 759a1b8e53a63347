import { z } from 'zod';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { toJsonCustomer } from '@billing/proto/json/customer';
import { metadata, optional, readBody } from '../input';
import { created, ok, param, present, type Route } from '../route';

const addressPart = optional(z.string().max(200));

const CreateCustomer = z.object({
  email: z.string(),
  externalId: optional(z.string().min(1).max(255)),
  name: optional(z.string().max(200)),
  phone: optional(z.string().max(40)),
  address: optional(
    z.object({
      line1: addressPart,
      line2: addressPart,
      city: addressPart,
      state: addressPart,
      postalCode: addressPart,
      country: addressPart,
    }),
  ),
  currency: optional(z.string()),
  collectionMethod: optional(z.enum(['CHARGE_AUTOMATICALLY', 'SEND_INVOICE'])),
  metadata: optional(metadata),
});

const collectionMethods = {
  CHARGE_AUTOMATICALLY: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
  SEND_INVOICE: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
};

export const customerRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/customers',
    handle: async (request, peers) => {
      const { input, ignoredHeaders } = readBody(CreateCustomer, request);
      const answer = await peers.customer.createCustomer(
        {
          ...input,
          collectionMethod:
            input.collectionMethod === undefined
              ? CollectionMethod.COLLECTION_METHOD_UNSPECIFIED
              : collectionMethods[input.collectionMethod],
        },
        request.context,
      );
      const customer = present(answer.customer);
      return created(`/customers/${customer.id}`, toJsonCustomer(customer), ignoredHeaders);
    },
  },
  {
    method: 'GET',
    path: '/customers/:id',
    handle: async (request, peers) => {
      const { customer } = await peers.customer.getCustomer(
        { id: param(request, 'id') },
        request.context,
      );
      return ok(toJsonCustomer(present(customer)));
    },
  },
];
