import { join } from 'node:path';
import { everyScope, type Tenant } from '@billing/chassis/call-context';
import { ownCall } from '@billing/chassis/own-call';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import {
  type Environment,
  EnvironmentKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { z } from 'zod';
import { readJsonIfThere, writePrivateJson } from './private-file';

/** Keys of the first organisation. Only this file knows them: the services keep an HMAC. */
export interface FirstKeys {
  liveKey: string;
  testKey: string;
}

/** The organisation that every start finds or makes. */
export const localOrganization = 'Local';

const KEY_NAME = 'First key';
const KEYS_PER_PAGE = 100;
const schema = z.object({ liveKey: z.string(), testKey: z.string() });

type Identity = Peer<IdentityServiceServer>;

/** Makes the organisation with its live environment and a sandbox, and a key of each; later starts find them. */
export async function ensureFirstKeys(
  identityAddress: string,
  dataDir: string,
  {
    security,
    log = () => undefined,
  }: { security?: TransportSecurity | undefined; log?: (line: string) => void } = {},
): Promise<FirstKeys> {
  const file = join(dataDir, 'keys.json');
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: identityAddress,
    security,
    service: 'launcher',
    withoutTenant: ['ensureOrganization'],
  });
  try {
    const tenants = await firstTenants(identity);
    const kept = await readKeys(file, log);
    if (kept !== undefined && (await areGood(identity, tenants, kept))) return kept;
    const keys = await makeKeys(identity, tenants);
    await writePrivateJson(file, keys);
    return keys;
  } finally {
    identity.close();
  }
}

/** A damaged file is no reason not to start: other keys can be made. */
async function readKeys(file: string, log: (line: string) => void): Promise<FirstKeys | undefined> {
  try {
    const stored = await readJsonIfThere(file);
    return stored === undefined ? undefined : schema.parse(stored);
  } catch {
    log(`${file} is damaged; new first keys replace it, and the old ones stay valid`);
    return undefined;
  }
}

/** The first organisation's live environment and its sandbox. */
interface FirstTenants {
  readonly live: Tenant;
  readonly sandbox: Tenant;
}

async function firstTenants(identity: Identity): Promise<FirstTenants> {
  const { organizationId, live, sandbox } = await identity.ensureOrganization(
    { name: localOrganization },
    ownCall(),
  );
  const tenantOf = (environment: Environment | undefined): Tenant => {
    if (!environment) throw new Error('The organisation lacks one of its first environments');
    return {
      organizationId,
      environmentId: environment.id,
      live: environment.kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
      manualClock: false,
    };
  };
  return { live: tenantOf(live), sandbox: tenantOf(sandbox) };
}

/** Not so where the keys outlived their database, or were revoked. To try them would be a use, and whoever has made no call yet is told how to. */
async function areGood(
  identity: Identity,
  { live, sandbox }: FirstTenants,
  { liveKey, testKey }: FirstKeys,
): Promise<boolean> {
  return (await isListed(identity, live, liveKey)) && isListed(identity, sandbox, testKey);
}

async function isListed(identity: Identity, tenant: Tenant, key: string): Promise<boolean> {
  for (let page = 1; ; page += 1) {
    const listed = await identity.listApiKeys({ page, perPage: KEYS_PER_PAGE }, ownCall(tenant));
    const found = listed.apiKeys.find(
      ({ name, prefix, last4 }) =>
        name === KEY_NAME && key.startsWith(prefix) && key.endsWith(last4),
    );
    if (found !== undefined) return found.revokedAt === undefined;
    if (page * KEYS_PER_PAGE >= listed.total) return false;
  }
}

async function makeKeys(identity: Identity, { live, sandbox }: FirstTenants): Promise<FirstKeys> {
  const keyOf = async (tenant: Tenant): Promise<string> => {
    const request = { name: KEY_NAME, scopes: [], expiresAt: undefined, createdBy: undefined };
    const context = { ...ownCall(tenant), scopes: [everyScope] };
    return (await identity.createApiKey(request, context)).key;
  };
  return { liveKey: await keyOf(live), testKey: await keyOf(sandbox) };
}
