import { z } from 'zod';
import {
  hostedPageShape,
  processEnvironment,
  readConfiguration,
  transportSecurityShape,
} from '@billing/chassis/configuration';
import { runCommand } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { transportSecurityOf } from '@billing/chassis/transport-security';
import { DomainError } from '@billing/kernel/domain-error';
import { ownerLink, ownerResetLink, resetText } from './create-owner-link';

const configurationSchema = z.object({
  ...transportSecurityShape,
  /** Address of identity. */
  IDENTITY_ADDRESS: z.string().min(1),
  HOSTED_PAGE_URL: hostedPageShape.HOSTED_PAGE_URL,
  /** The organization is created if it does not exist. */
  ORGANIZATION_NAME: z.string().min(1),
});

const usage = 'Usage: first-owner [--reset EMAIL]';

/**
 * Prints the link by which the first operator of an organization joins; with `--reset` the one by
 * which an owner sets a new password.
 */
runCommand('first-owner', async () => {
  const email = emailToReset(process.argv.slice(2));
  const configuration = readConfiguration(configurationSchema, processEnvironment(), {
    isPart: true,
  });
  const { ORGANIZATION_NAME: organization, IDENTITY_ADDRESS, HOSTED_PAGE_URL } = configuration;
  const options = {
    identityAddress: IDENTITY_ADDRESS,
    security: transportSecurityOf(configuration),
    gatewayUrl: HOSTED_PAGE_URL,
    organization,
    service: 'first-owner',
  };
  if (email !== undefined) return resetText(await ownerResetLink(options, email));
  const link = await ownerLink(options);
  if (link !== undefined) return link;
  throw new DomainError(
    'failed_precondition',
    'ORGANIZATION_HAS_OPERATORS',
    `${organization} already has operators; ask an owner or admin for an invitation`,
  );
});

function emailToReset(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const [flag, email] = words;
  if (words.length !== 2 || flag !== '--reset' || email === undefined) {
    throw new StartRefusal(exitStatuses.usage, usage);
  }
  return email;
}
