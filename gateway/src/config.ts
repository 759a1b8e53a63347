import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

const { LOG_LEVEL, LOG_FILE, OTEL_EXPORTER_OTLP_ENDPOINT, TRACE_SAMPLE_RATIO, SHUTDOWN_GRACE_MS } =
  serviceConfigurationShape;
const address = z.string().min(1);

export const configurationSchema = z.object({
  LOG_LEVEL,
  LOG_FILE,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  TRACE_SAMPLE_RATIO,
  SHUTDOWN_GRACE_MS,
  /** Where REST is served; port 0 takes a free one. */
  HTTP_LISTEN: z.string().regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port'),
  IDENTITY_ADDRESS: address,
  CATALOG_ADDRESS: address,
  CUSTOMER_ADDRESS: address,
  CHECKOUT_ADDRESS: address,
  SUBSCRIPTION_ADDRESS: address,
  NOTIFIER_ADDRESS: address,
});

export type GatewayConfiguration = z.infer<typeof configurationSchema>;

/** All problems in one message. */
export function readConfig(env: Record<string, string | undefined>): GatewayConfiguration {
  return readConfiguration(configurationSchema, env);
}
