import { connectPeer, type Peer, type PeerOptions } from '@billing/chassis/peer';
import {
  type MailServiceServer,
  MailServiceService,
} from '@billing/proto/billing/notifier/v1/mail';
import {
  type MailSettingsServiceServer,
  MailSettingsServiceService,
} from '@billing/proto/billing/notifier/v1/mail_settings';
import {
  type OperatorMailServiceServer,
  OperatorMailServiceService,
} from '@billing/proto/billing/notifier/v1/operator_mail';
import {
  type NotifierServiceServer,
  NotifierServiceService,
} from '@billing/proto/billing/notifier/v1/notifier';
import {
  type WebhookDeliveryServiceServer,
  WebhookDeliveryServiceService,
} from '@billing/proto/billing/notifier/v1/webhook_delivery';
import {
  type WebhookFeedServiceServer,
  WebhookFeedServiceService,
} from '@billing/proto/billing/notifier/v1/webhook_feed';

/** Clients of the notifier, which owns webhooks and mails. */
export interface NotifierPeers {
  readonly notifier: Peer<NotifierServiceServer>;
  readonly webhookDelivery: Peer<WebhookDeliveryServiceServer>;
  readonly webhookFeed: Peer<WebhookFeedServiceServer>;
  readonly mail: Peer<MailServiceServer>;
  readonly mailSettings: Peer<MailSettingsServiceServer>;
  readonly operatorMail: Peer<OperatorMailServiceServer>;
}

/** Creates clients of the notifier. */
export function connectNotifier(options: PeerOptions<never>): NotifierPeers {
  return {
    notifier: connectPeer<NotifierServiceServer>(NotifierServiceService, options),
    webhookDelivery: connectPeer<WebhookDeliveryServiceServer>(
      WebhookDeliveryServiceService,
      options,
    ),
    webhookFeed: connectPeer<WebhookFeedServiceServer>(WebhookFeedServiceService, options),
    mail: connectPeer<MailServiceServer>(MailServiceService, options),
    mailSettings: connectPeer<MailSettingsServiceServer>(MailSettingsServiceService, options),
    operatorMail: connectPeer<OperatorMailServiceServer>(OperatorMailServiceService, {
      ...options,
      withoutTenant: ['getMailServer'],
    }),
  };
}
