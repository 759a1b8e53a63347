import { z } from 'zod';
import { optional, readBody } from '../input';
import { PortalSession } from '../openapi/schemas/portal-session';
import { created, present, type Route } from '../route';
import { webAddress } from '../web-address';

const CreatePortalSession = z
  .object({
    customerId: z.string(),
    returnUrl: optional(webAddress).meta({ description: 'Where the portal leads back to.' }),
  })
  .meta({
    id: 'CreatePortalSession',
    examples: [
      {
        customerId: '01970f3e-8a4c-7d1e-8f2a-4b5c6d7e8f90',
        returnUrl: 'https://shop.example/account',
      },
    ],
  });

export const portalSessionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/portal/sessions',
    operation: {
      id: 'createPortalSession',
      summary: 'Let a customer into the portal',
      description:
        'Answers with an address that opens the portal once, within an hour. Send the customer there at once, and nobody else.',
      body: CreatePortalSession,
      answer: { status: 201, schema: PortalSession },
      errors: ['customer_not_found'],
    },
    handle: async (request, { portal }) => {
      const { context } = request;
      const input = readBody(CreatePortalSession, request);
      const { sessionId, url: told, expiresAt } = await portal.createPortalSession(input, context);
      // A repeat is not told the address by the answer that was kept, for it is a secret until it is used.
      const { idempotency: _answered, ...asking } = context;
      const url = told === '' ? (await portal.getPortalUrl({ sessionId }, asking)).url : told;
      const body = { sessionId, url, expiresAt: present(expiresAt).toISOString() };
      return created(`/portal/sessions/${sessionId}`, body);
    },
  },
];
