import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { notFound } from '@billing/kernel/domain-error';
import { createEmail, type EmailCreation } from './create-email';
import { findMailFacts } from './find-mail-facts';

/**
 * Mails a sign-in link of the portal, until it expires. A repeat for the same session finds the
 * first mail.
 */
export async function sendPortalLink(
  {
    customerId,
    sessionId,
    url,
    expiresAt,
  }: {
    readonly customerId: string;
    readonly sessionId: string;
    readonly url: string;
    /** Absent from callers of 0.1.0. */
    readonly expiresAt: Date | undefined;
  },
  context: CallContext,
  creation: EmailCreation,
): Promise<void> {
  const { peers } = creation;
  const facts = await findMailFacts(peers, { customerId, productId: undefined }, context);
  if (facts === undefined) throw notFound('Customer');
  const occasion = {
    id: derivedId(context.tenant.environmentId, 'email', 'PORTAL_LINK', sessionId),
    kind: 'PORTAL_LINK',
    event: { kind: 'PORTAL', type: 'portal.link', data: { customerId, url } },
    webhookEventId: null,
    expiresAt,
  } as const;
  const { state: current } = await creation.settings.read(context);
  await createEmail(occasion, facts, { ...creation, current, context });
}
