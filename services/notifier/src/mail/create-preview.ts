import type { CallContext } from '@billing/chassis/call-context';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { MailKind } from '@billing/presentation/mail-kind';
import type { Language } from '@billing/presentation/locale';
import { type RenderedMail, renderMail } from '@billing/presentation/render-mail';
import { mailTextProblems } from '@billing/presentation/template-problems';
import type { PreviewEmailRequest } from '@billing/proto/billing/notifier/v1/mail_settings';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import type { EmailTemplateStore } from '../mail-settings/email-template-store';
import type { MailPeers } from '../peer/peers';
import { readInvoiceFacts, readSubscriptionFacts } from './events';
import { findLook, productNameOf } from './find-mail-facts';
import { mailValues } from './mail-values';
import { tryToRender } from './new-email';
import { sampleCustomer, sampleEvent } from './sample-event';

/** Renders a mail of a kind about the resources of a request, or about samples. */
export async function createPreview(
  request: PreviewEmailRequest,
  { kind, language }: { readonly kind: MailKind; readonly language: Language },
  {
    peers,
    templates,
    context,
  }: {
    readonly peers: MailPeers;
    readonly templates: EmailTemplateStore;
    readonly context: CallContext;
  },
): Promise<RenderedMail> {
  const { subject, body } = request;
  refuseProblems(mailTextProblems(kind, { subject, body }));
  const { environmentId, live } = context.tenant;
  const [stored, look, resources] = await Promise.all([
    templates.find(environmentId, { kind, language }),
    findLook(peers, context),
    findShown(request, { peers, context }),
  ]);
  const { invoice, subscription, customer = sampleCustomer, productName } = resources;
  const event = sampleEvent(kind, { invoice, subscription }, context.now);
  const mail = {
    kind,
    locale: language,
    values: mailValues(event, { ...look, customer, productName }, language),
    isTest: !live,
    brand: look.brand,
  };
  const texts = { subject: subject ?? stored?.subject, body: body ?? stored?.body };
  // Stored texts that this release cannot render give way, as in mails.
  return (
    tryToRender({ ...mail, changed: texts }) ?? renderMail({ ...mail, changed: { subject, body } })
  );
}

async function findShown(
  { customerId, invoiceId, subscriptionId }: PreviewEmailRequest,
  { peers, context }: { readonly peers: MailPeers; readonly context: CallContext },
) {
  const [invoice, subscription] = await Promise.all([
    invoiceId === undefined
      ? undefined
      : peers.checkout.getInvoice({ id: invoiceId }, context).then((answer) => answer.invoice),
    subscriptionId === undefined
      ? undefined
      : peers.subscription
          .getSubscription({ id: subscriptionId }, context)
          .then((answer) => answer.subscription),
  ]);
  const shownCustomer = customerId ?? invoice?.customerId ?? subscription?.customerId;
  const [customer, productName] = await Promise.all([
    shownCustomer === undefined
      ? undefined
      : peers.customer
          .getCustomer({ id: shownCustomer }, context)
          .then((answer) => answer.customer),
    subscription === undefined ? 'Pro' : productNameOf(peers, subscription.productId, context),
  ]);
  return {
    invoice: invoice && readInvoiceFacts(toJsonInvoice(invoice)),
    subscription: subscription && readSubscriptionFacts(toJsonSubscription(subscription)),
    customer: customer && { email: customer.email, name: customer.name },
    productName,
  };
}
