import { z } from 'zod';
import {
  hostedPageShape,
  processEnvironment,
  readConfiguration,
  transportSecurityShape,
} from '@billing/chassis/configuration';
import { runCommand } from '@billing/chassis/process';
import { transportSecurityOf } from '@billing/chassis/transport-security';
import { ownerLink } from './first-owner-client';

const configurationSchema = z.object({
  ...transportSecurityShape,
  /** Identity as its peers reach it. */
  IDENTITY_ADDRESS: z.string().min(1),
  HOSTED_PAGE_URL: hostedPageShape.HOSTED_PAGE_URL,
  /** Made if there is none of that name. */
  ORGANIZATION_NAME: z.string().min(1),
});

/** Prints the link by which somebody becomes an organisation's first operator. */
runCommand('first-owner', async () => {
  const configuration = readConfiguration(configurationSchema, processEnvironment(), {
    isPart: true,
  });
  const { ORGANIZATION_NAME: organization, IDENTITY_ADDRESS, HOSTED_PAGE_URL } = configuration;
  const link = await ownerLink({
    identityAddress: IDENTITY_ADDRESS,
    security: transportSecurityOf(configuration),
    gatewayUrl: HOSTED_PAGE_URL,
    organization,
    service: 'first-owner',
  });
  if (link !== undefined) return link;
  throw new Error(`${organization} has operators; its owners and admins invite others`);
});
