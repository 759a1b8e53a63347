import { join } from 'node:path';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type Environment,
  EnvironmentKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { z } from 'zod';
import { callOf, localOrganization, noTenant } from './identity-call';
import { readJsonIfThere, writePrivateJson } from './private-file';

/** Keys of the first organisation. Only this file knows them: the services keep an HMAC. */
export interface FirstKeys {
  liveKey: string;
  testKey: string;
}

const KEY_NAME = 'First key';
const schema = z.object({ liveKey: z.string(), testKey: z.string() });

type Identity = Peer<IdentityServiceServer>;

/** Makes the organisation with its live environment and a sandbox, and a key of each; later starts find them. */
export async function ensureFirstKeys(
  identityAddress: string,
  dataDir: string,
  security?: TransportSecurity,
): Promise<FirstKeys> {
  const file = join(dataDir, 'keys.json');
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: identityAddress,
    security,
    service: 'launcher',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
  try {
    const kept = schema.safeParse(await readJsonIfThere(file));
    if (kept.success && (await areGood(identity, kept.data))) return kept.data;
    const keys = await makeKeys(identity);
    await writePrivateJson(file, keys);
    return keys;
  } finally {
    identity.close();
  }
}

/** Not so where the keys outlived their database, or were revoked. */
async function areGood(identity: Identity, { liveKey, testKey }: FirstKeys): Promise<boolean> {
  try {
    for (const key of [liveKey, testKey]) await identity.authenticate({ key }, callOf(noTenant));
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'unauthenticated') return false;
    throw error;
  }
}

async function makeKeys(identity: Identity): Promise<FirstKeys> {
  const { organizationId, live, sandbox } = await identity.ensureOrganization(
    { name: localOrganization },
    callOf(noTenant),
  );
  const keyOf = async (environment: Environment | undefined): Promise<string> => {
    if (!environment) throw new Error('The organisation lacks one of its first environments');
    const tenant = {
      organizationId,
      environmentId: environment.id,
      live: environment.kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
      manualClock: false,
    };
    const request = { name: KEY_NAME, scopes: [], expiresAt: undefined };
    return (await identity.createApiKey(request, callOf(tenant))).key;
  };
  return { liveKey: await keyOf(live), testKey: await keyOf(sandbox) };
}
