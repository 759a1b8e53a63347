import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { optional, readBody, webAddress } from '../input/input';
import { PortalSession } from '../schemas/portal-session';
import { created, present } from '../../http/answer';
import { bestEffort } from '../../peer/best-effort';
import { RequestError } from '../../http/error';
import type { Peers } from '../../peer/peers';
import type { Route } from './route';

const CreatePortalSession = z
  .object({
    customerId: z.string(),
    returnUrl: optional(webAddress).meta({
      description: 'URL of the link from the portal back to your site.',
    }),
    sendEmail: optional(z.boolean()).meta({
      description:
        'True: also sends the link by email. Defaults to false. In a live environment this requires a mail server. The session is also returned if the email cannot be created.',
    }),
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

/** Refuses a mail that could not be sent, before anything is created; an unknown customer first. */
async function requireMailServer(
  customerId: string,
  { customer, mailSettings }: Pick<Peers, 'customer' | 'mailSettings'>,
  { idempotency: _answered, ...context }: CallContext,
): Promise<void> {
  if (!context.tenant.live) return;
  const { settings } = await mailSettings.getEmailSettings({}, context);
  if (settings?.serverConfigured === true) return;
  await customer.getCustomer({ id: customerId }, context);
  throw new RequestError(409, 'conflict', 'No mail server is configured');
}

export const portalSessionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/portal/sessions',
    operation: {
      id: 'createPortalSession',
      summary: 'Create a portal session',
      description:
        'Returns a one-time sign-in URL for the customer portal, valid for one hour. Redirect the customer to it immediately and do not share it.',
      body: CreatePortalSession,
      answer: { status: 201, schema: PortalSession, isCredential: true },
      errors: ['customer_not_found', 'conflict'],
    },
    handle: async (request, { portal, mail, ...peers }, { logger }) => {
      const { context } = request;
      const { sendEmail, ...input } = readBody(CreatePortalSession, request);
      if (sendEmail === true) await requireMailServer(input.customerId, peers, context);
      const {
        sessionId,
        url: returnedUrl,
        expiresAt,
      } = await portal.createPortalSession(input, context);
      // The URL is a secret until its first use, so the stored response of an idempotent replay
      // does not contain it.
      const { idempotency: _answered, ...asking } = context;
      const url =
        returnedUrl === '' ? (await portal.getPortalUrl({ sessionId }, asking)).url : returnedUrl;
      if (sendEmail === true) {
        // The session is stored, and the caller can pass on the link without a mail.
        const link = { customerId: input.customerId, sessionId, url, expiresAt };
        await bestEffort((limit) => mail.sendPortalLink(link, { ...asking, ...limit }), {
          ...{ call: asking, logger },
          failure: 'sign-in link not mailed',
        });
      }
      const body = { sessionId, url, expiresAt: present(expiresAt).toISOString() };
      return created(`/portal/sessions/${sessionId}`, body);
    },
  },
];
