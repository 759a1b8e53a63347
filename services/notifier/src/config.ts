import { z } from 'zod';
import { isLoopback, readSmtpUrl } from './smtp/smtp-url';
import {
  dataKeysVariable,
  readConfiguration,
  serviceConfigurationShape,
} from '@billing/chassis/configuration';

const deliveryLeaseMsDefault = 30_000;
const smtpConnectionsMaxDefault = 5;

const address = z.string().regex(/^[^\s@<>]+@[^\s@<>]+$/, 'must be an email address');
const wholeNumber = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number up to 9999')
  .transform(Number);

const variables = z.object({
  ...serviceConfigurationShape,
  SUBSCRIPTION_ADDRESS: z.string().min(1),
  CHECKOUT_ADDRESS: z.string().min(1),
  CATALOG_ADDRESS: z.string().min(1),
  CUSTOMER_ADDRESS: z.string().min(1),
  DISCOUNT_ADDRESS: z.string().min(1),
  METERING_ADDRESS: z.string().min(1),
  /** Encrypt the stored endpoint secrets. */
  DATA_KEYS: dataKeysVariable,
  /**
   * Allows loopback addresses for the endpoints of sandboxes, never for those of live environments.
   */
  ALLOW_LOOPBACK_IN_SANDBOXES: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** HTTP proxy that all webhooks are sent through; absent: none. */
  WEBHOOK_PROXY: z
    .url({ protocol: /^http$/, error: 'must be an http:// address' })
    .transform((url) => new URL(url))
    .optional(),
  /**
   * Lease of a delivery whose sender may have died. Must exceed the longest attempt; a shorter
   * lease sends to slow endpoints twice.
   */
  DELIVERY_LEASE_MS: z
    .string()
    .regex(/^\d{4,6}$/, 'must be 1000 to 999999 milliseconds')
    .transform(Number)
    .default(deliveryLeaseMsDefault),
  /** Mail server of live environments; absent: they get no mails. */
  SMTP_URL: z
    .string()
    .transform((text, context) => {
      const server = readSmtpUrl(text);
      if (server !== undefined) return server;
      context.addIssue('must be smtp:// or smtps://user:password@host:port, with % written as %25');
      return z.NEVER;
    })
    .optional(),
  /** `none` sends in plain text, to a server on this machine only. */
  SMTP_TLS: z.enum(['require', 'none']).default('require'),
  /** PEM of the authority that signs the server's certificate; absent: the system's. */
  SMTP_TLS_CA: z.string().optional(),
  SMTP_CONNECTIONS_MAX: wholeNumber
    .refine((count) => count > 0, 'must be above 0')
    .default(smtpConnectionsMaxDefault),
  /** 0: no limit. */
  SMTP_PER_SECOND_MAX: wholeNumber.default(0),
  /** Sender of mails. */
  MAIL_FROM: address.optional(),
  /** Domains of the addresses that live environments may send from; absent: the sender's. */
  MAIL_FROM_DOMAINS: z
    .string()
    .transform((text) =>
      text
        .toLowerCase()
        .split(',')
        .map((domain) => domain.trim()),
    )
    .optional(),
  /** Envelope sender, to which servers return mails; absent: the sender. */
  MAIL_BOUNCE_ADDRESS: address.optional(),
});

export const configurationSchema = variables.superRefine((config, context) => {
  const { SMTP_URL: server, SMTP_TLS: tls, MAIL_FROM: from } = config;
  if (server === undefined) return;
  const refuse = (variable: string, message: string) => {
    context.addIssue({ code: 'custom', path: [variable], message });
  };
  if (from === undefined) refuse('MAIL_FROM', 'is required with SMTP_URL');
  if (tls === 'none' && !isLoopback(server.host)) {
    refuse('SMTP_TLS', 'none is allowed for a mail server on this machine only');
  }
  if (tls === 'none' && server.isSecure) refuse('SMTP_TLS', 'contradicts smtps://');
});

export type NotifierConfiguration = z.infer<typeof configurationSchema>;

/** Parses the process's environment; reports all problems in one error. */
export function readConfig(env: Record<string, string | undefined>): NotifierConfiguration {
  return readConfiguration(configurationSchema, env);
}
