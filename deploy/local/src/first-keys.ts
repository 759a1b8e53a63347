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
  /** Of the first sandbox; absent once that was deleted. */
  testKey?: string;
}

/** The organisation that every start finds or makes. */
export const localOrganization = 'Local';

const KEY_NAME = 'First key';
const KEYS_PER_PAGE = 100;
const schema = z.object({ liveKey: z.string().optional(), testKey: z.string().optional() });

type Identity = Peer<IdentityServiceServer>;

/** Creates the organisation with its live environment and a sandbox, and a key of each; later starts find them. */
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
    const keyOf = async (tenant: Tenant, key: string | undefined): Promise<string> =>
      key !== undefined && (await isListed(identity, tenant, key))
        ? key
        : await createKey(identity, tenant);
    const liveKey = await keyOf(tenants.live, kept.liveKey);
    const testKey = tenants.sandbox && (await keyOf(tenants.sandbox, kept.testKey));
    const keys = { liveKey, ...(testKey !== undefined && { testKey }) };
    if (liveKey !== kept.liveKey || testKey !== kept.testKey) await writePrivateJson(file, keys);
    return keys;
  } finally {
    identity.close();
  }
}

/** A damaged file is no reason not to start: other keys can be made. */
async function readKeys(file: string, log: (line: string) => void): Promise<Partial<FirstKeys>> {
  try {
    return schema.parse((await readJsonIfThere(file)) ?? {});
  } catch {
    log(`${file} is damaged; new first keys replace it, and the old ones stay valid`);
    return {};
  }
}

/** The first organisation's live environment and its first sandbox, where that was not deleted. */
interface FirstTenants {
  readonly live: Tenant;
  readonly sandbox: Tenant | undefined;
}

async function firstTenants(identity: Identity): Promise<FirstTenants> {
  const { organizationId, live, sandbox } = await identity.ensureOrganization(
    { name: localOrganization },
    ownCall(),
  );
  const tenantOf = ({ id, kind }: Environment): Tenant => ({
    organizationId,
    environmentId: id,
    live: kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
    manualClock: false,
  });
  if (live === undefined) throw new Error('The organisation lacks its live environment');
  return { live: tenantOf(live), sandbox: sandbox && tenantOf(sandbox) };
}

/**
 * Whether the key is there and not revoked: it may have outlived its database. To try the key would count as its first use, which the
 * dashboard waits for.
 */
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

async function createKey(identity: Identity, tenant: Tenant): Promise<string> {
  const request = { name: KEY_NAME, scopes: [], expiresAt: undefined, createdBy: undefined };
  const context = { ...ownCall(tenant), scopes: [everyScope] };
  return (await identity.createApiKey(request, context)).key;
}
