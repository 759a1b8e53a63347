import { BounceType, EmailKind, EmailStatus } from '../gen/billing/notifier/v1/mail';
import { OperatorEmailKind } from '../gen/billing/notifier/v1/operator_mail';
import { WebhookDeliveryStatus } from '../gen/billing/notifier/v1/webhook_delivery';
import { enumNames } from './enum-names';

export const webhookDeliveryStatuses = enumNames(WebhookDeliveryStatus, 'WEBHOOK_DELIVERY_STATUS_');
export const emailKinds = enumNames(EmailKind, 'EMAIL_KIND_');
export const operatorEmailKinds = enumNames(OperatorEmailKind, 'OPERATOR_EMAIL_KIND_');
export const emailStatuses = enumNames(EmailStatus, 'EMAIL_STATUS_');
export const bounceTypes = enumNames(BounceType, 'BOUNCE_TYPE_');
