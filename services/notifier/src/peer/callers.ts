import type { Callers } from '@billing/chassis/callers';
import type { MailServiceServer } from '@billing/proto/billing/notifier/v1/mail';
import type { MailSettingsServiceServer } from '@billing/proto/billing/notifier/v1/mail_settings';
import type { OperatorMailServiceServer } from '@billing/proto/billing/notifier/v1/operator_mail';
import type { NotifierServiceServer } from '@billing/proto/billing/notifier/v1/notifier';
import type { WebhookReportServiceServer } from '@billing/proto/billing/notifier/v1/report';
import type { WebhookFeedServiceServer } from '@billing/proto/billing/notifier/v1/webhook_feed';
import type { WebhookDeliveryServiceServer } from '@billing/proto/billing/notifier/v1/webhook_delivery';

// Services allowed to call each method where mutual TLS identifies callers.

export const notifierCallers: Callers<NotifierServiceServer> = {
  createWebhookEndpoint: ['gateway'],
  getWebhookEndpoint: ['gateway'],
  listWebhookEndpoints: ['gateway'],
  updateWebhookEndpoint: ['gateway'],
  rotateWebhookSecret: ['gateway'],
  getWebhookAddressRules: ['gateway'],
  deleteWebhookEndpoint: ['gateway'],
};

export const webhookDeliveryCallers: Callers<WebhookDeliveryServiceServer> = {
  sendTestWebhook: ['gateway'],
  listWebhookDeliveries: ['gateway'],
  listSubscriptionWebhooks: ['gateway'],
  getWebhookBody: ['gateway'],
  retryWebhookDelivery: ['gateway'],
  replayWebhooks: ['gateway'],
  listWebhookGaps: ['gateway'],
};

export const webhookFeedCallers: Callers<WebhookFeedServiceServer> = {
  listWebhookEvents: ['gateway'],
  settleWebhookEvents: ['gateway'],
  getWebhookEvent: ['gateway'],
};

export const mailCallers: Callers<MailServiceServer> = {
  listEmails: ['gateway'],
  getEmail: ['gateway'],
  getEmailAttachment: ['gateway'],
  resendEmail: ['gateway'],
  sendInvoiceEmail: ['gateway'],
  sendPortalLink: ['gateway'],
  recordBounce: ['gateway'],
  listEmailSuppressions: ['gateway'],
  deleteEmailSuppression: ['gateway'],
};

export const mailSettingsCallers: Callers<MailSettingsServiceServer> = {
  getEmailSettings: ['gateway'],
  updateEmailSettings: ['gateway'],
  listEmailTemplates: ['gateway'],
  getEmailTemplate: ['gateway'],
  updateEmailTemplate: ['gateway'],
  deleteEmailTemplate: ['gateway'],
  previewEmail: ['gateway'],
  sendTestEmail: ['gateway'],
};

export const operatorMailCallers: Callers<OperatorMailServiceServer> = {
  getMailServer: ['gateway'],
  sendOperatorEmail: ['gateway'],
};

export const webhookReportCallers: Callers<WebhookReportServiceServer> = {
  getDeliveryReport: ['gateway'],
  getDeliveryCounts: ['gateway'],
};
