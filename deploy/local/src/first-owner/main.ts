import { join } from 'node:path';
import { runCommand } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { ownerLink, ownerResetLink, resetText } from '@billing/identity/create-owner-link';
import { readLauncherEnvironment } from '../environment/launcher-environment';
import { readFlags } from '../maintenance';
import { localOrganization } from '../system/first-keys';
import { readRunningSystem } from '../system/running-system';

const usage =
  'Usage: npm run first-owner -- [--reset <email>] [--organization <name>] [--data <folder>]';
const dataDirDefault = join(__dirname, '../../../../.data');

/**
 * Prints the link by which the first operator of an organization joins the running system of a data
 * folder; with `--reset` the one by which an owner sets a new password.
 */
runCommand('first-owner', async () => {
  const {
    reset: email,
    organization = localOrganization,
    data,
  } = readFlags(['reset', 'organization', 'data'], usage);
  const { BILLING_DATA: configured } = readLauncherEnvironment().all;
  const dataDir = data ?? (configured === '' ? undefined : configured) ?? dataDirDefault;
  const { addresses, publicUrl: gatewayUrl } = await readRunningSystem(dataDir);
  const identityAddress = addresses.identity ?? '';
  const options = { identityAddress, gatewayUrl, organization, service: 'first-owner' };
  if (email !== undefined) return resetText(await ownerResetLink(options, email));
  const link = await ownerLink(options);
  if (link !== undefined) return link;
  const message = `${organization} already has operators; ask an owner or admin for an invitation`;
  throw new StartRefusal(exitStatuses.configuration, message);
});
