import { z } from 'zod';
import { InvoiceJson } from '@billing/proto/json/invoice';
import { id, url } from '@billing/proto/json/scalars';

export const NewCheckoutSession = z
  .object({
    sessionId: id,
    checkoutUrl: url.meta({ description: 'URL of the hosted payment page.' }),
    invoice: InvoiceJson,
  })
  .meta({ id: 'NewCheckoutSession' });
