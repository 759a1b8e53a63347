import { z } from 'zod';
import { collectionMethod, currency, id, listOf, metadata, timestamps } from './scalars';

const text = z.string().nullable();

export const Customer = z
  .object({
    id,
    organizationId: id,
    externalId: text,
    email: z.string().meta({ format: 'email' }),
    name: text,
    phone: text,
    address: z
      .object({
        line1: text,
        line2: text,
        city: text,
        state: text,
        postalCode: text,
        country: text.meta({ description: 'ISO 3166-1 alpha-2 country code.' }),
      })
      .nullable(),
    currency,
    collectionMethod,
    metadata,
    ...timestamps,
  })
  .meta({ id: 'Customer' });

export const CustomerList = listOf(Customer, 'CustomerList');
