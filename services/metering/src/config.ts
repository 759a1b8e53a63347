import { z } from 'zod';
import { readConfiguration, serviceConfigurationShape } from '@billing/chassis/configuration';

const retentionMonthsMin = 3;
const retentionMonthsMax = 1_200;

export const configurationSchema = z.object({
  ...serviceConfigurationShape,
  CUSTOMER_ADDRESS: z.string().min(1),
  SUBSCRIPTION_ADDRESS: z.string().min(1),
  /** Months of real time for which usage events are kept after their arrival; 0: permanently. */
  RETENTION_USAGE_MONTHS: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number of months')
    .transform(Number)
    .refine(
      (months) => months === 0 || (months >= retentionMonthsMin && months <= retentionMonthsMax),
      `must be 0 or ${String(retentionMonthsMin)} to ${String(retentionMonthsMax)} months`,
    )
    .default(15),
});

export type MeteringConfiguration = z.infer<typeof configurationSchema>;

/** Throws a ConfigurationError that lists every problem. */
export function readConfig(env: Record<string, string | undefined>): MeteringConfiguration {
  return readConfiguration(configurationSchema, env);
}
