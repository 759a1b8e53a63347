import { WebhookDeliveryStatus } from '../gen/billing/notifier/v1/webhook_delivery';
import { enumNames } from './enum-names';

export const webhookDeliveryStatuses = enumNames(WebhookDeliveryStatus, 'WEBHOOK_DELIVERY_STATUS_');
